//! Reports of fixed samples.
use super::{csv, json, markdown, terminal};
use crate::{
    machine::Machine,
    measure::Samples,
    record::{Comparison, Dispatch, Measurement, Report, Roofline, SCHEMA},
};

fn measurement(name: &str, program: &str, seconds: &[f64]) -> Measurement {
    Measurement::new(name, program, Samples { seconds: seconds.to_vec(), iterations: 1 })
}

fn dispatch(name: &str, share: f64, calls: usize, seconds: f64, flops: Option<u64>) -> Measurement {
    let dispatch = Dispatch {
        executable: name.split("_matmul").next().unwrap_or_default().into(),
        key: "0123456789abcdef".into(),
        origin: if flops.is_none() {
            vec![]
        } else {
            vec!["/encoder/layer.0/attention/self/query/MatMul".into(), "/b".into()]
        },
        calls,
        share,
        workgroups: [64, 2, 1],
        constants: if flops.is_none() { vec![7] } else { vec![] },
        bytes: 1_000_000,
        flops,
        digest: String::new(),
        roofline: Some(Roofline { seconds: 0.0006, share: 0.0006 / seconds, limit: "f32".into() }),
    };
    Measurement { dispatch: Some(dispatch), ..measurement(name, "a.so", &[seconds; 3]) }
}

fn report() -> Report {
    let machine = Machine {
        cpu: "A CPU".into(),
        cores: 8,
        arch: "x86_64",
        os: "Debian GNU/Linux 12 (bookworm)".into(),
        kernel: Some("6.1.0".into()),
        governor: None,
        load: Some(0.25),
    };
    let a = measurement("main", "a.so", &[0.0100, 0.0101, 0.0102, 0.0101, 0.0100]);
    let b = measurement("main", "b.so", &[0.0050, 0.0051, 0.0050, 0.0051, 0.0050]);
    let comparison = Some(Comparison::new(&a, &b));
    let comparisons = vec![Comparison::new(&a, &b)];
    let agreement = vec!["the outputs of `main` agree (rtol 1e-5, atol 1e-5)".to_owned()];
    let results = vec![
        a,
        b,
        dispatch("main_dispatch_1_matmul_16x128x784_f32", 0.75, 2, 0.003, Some(3_211_264)),
        dispatch("main_dispatch_0_softmax_16x?_f32", 0.25, 1, 0.0020, None),
    ];
    Report {
        schema: SCHEMA,
        machine,
        threads: 4,
        device: None,
        peaks: None,
        inputs: vec!["0=random:0".into()],
        results,
        agreement,
        comparison,
        comparisons,
        counters: Vec::new(),
    }
}

#[test]
fn for_a_terminal() {
    insta::assert_snapshot!(terminal::text(&report(), None, None));
}

#[test]
fn on_narrow_terminals() {
    let widest =
        |text: &str| text.lines().skip_while(|l| !l.starts_with("dispatches")).map(|l| l.chars().count()).max();
    for width in [130, 100, 80, 60] {
        let text = terminal::text(&report(), Some(width), None);
        assert!(widest(&text).unwrap() <= width, "{width}\n{text}");
        insta::assert_snapshot!(format!("{width}"), text.split_once("dispatches of").unwrap().1);
    }
}

#[test]
fn below_a_part_of_the_roofline() {
    let list = |share| {
        let text = terminal::text(&report(), None, Some(share));
        text.rsplit_once("\n\n").unwrap().1.to_owned()
    };
    insta::assert_snapshot!(list(0.5));
    insta::assert_snapshot!(list(0.25));
    insta::assert_snapshot!(list(0.1));
}

#[test]
fn as_markdown() {
    insta::assert_snapshot!(markdown::text(&report()));
}

#[test]
fn as_csv() {
    insta::assert_snapshot!(csv::text(&report()));
}

#[test]
fn as_json() {
    insta::assert_snapshot!(json::text(&report()));
}
