//! What unit tests share: exports of `tests/golden` as graphs, and a CPU.
use crate::graph::Graph;
use crate::machine::MachineModel;
use halyard_ir::{Op, Session};
use std::{fs, path::Path};

/// A CPU with vectors of 512 bits, but for `change`.
pub(crate) fn cpu(change: impl FnOnce(&mut MachineModel)) -> MachineModel {
    let dots =
        crate::DotProducts::of("x86_64", 512, false, |feature| ["avx2", "avx512bw", "avx512vl"].contains(&feature));
    let mut target = MachineModel {
        vector_bits: 512,
        registers: 32,
        l1: 48 << 10,
        l2: 1 << 20,
        fma: true,
        dots,
        ..MachineModel::default()
    };
    change(&mut target);
    target
}

/// What `test` makes of the graph of an export after `change`. Nothing may be emitted meanwhile.
pub(crate) fn with_graph<T>(
    export: &str,
    change: &[(&str, &str)],
    target: &MachineModel,
    test: impl FnOnce(&Graph) -> T,
) -> T {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(export).with_extension("mlir");
    let mut text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{export}: {e}"));
    for (from, to) in change {
        assert!(text.contains(from), "{export} has no `{from}`");
        text = text.replace(from, to);
    }
    let session = Session::new();
    let module = session.parse(text.as_bytes(), export).unwrap_or_else(|e| panic!("{export}: {e:?}"));
    crate::prepare::prepare(&session, Op::from(&module), target).expect("no pass fails");
    let before = Op::from(&module).to_string();
    let mut func = None;
    Op::from(&module).walk(&mut |op| func = func.or(Some(op).filter(|op| op.is("func.func"))));
    let graph = Graph::read(func.expect("an export")).expect("a kernel is made of it");
    let result = test(&graph);
    assert_eq!(Op::from(&module).to_string(), before, "choosing emits nothing");
    result
}
