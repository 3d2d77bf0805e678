use super::{PartForm, ThreadsPlan};
use crate::MachineModel;
use crate::schedule::Choices;
use crate::schedule::planner::Planner;
use crate::testing::with_graph;
use halyard_ir::form::{NestSchedule, ScheduleSetting};

/// What threads do for an export after `change`, and what cannot be of the number that is asked for.
fn threads(
    export: &str,
    change: &[(&str, &str)],
    target: &MachineModel,
    asked: Option<(&str, i64)>,
) -> (ThreadsPlan, Vec<String>) {
    let given = asked.map(|(key, n)| vec![NestSchedule(vec![(key.to_owned(), ScheduleSetting::Number(n))])]);
    with_graph(export, change, target, |graph| {
        let mut choices = Choices::new(given.as_deref());
        let plan = Planner::new(graph, target, &mut choices).threads().expect("nothing is in place");
        (plan, choices.finish().err().unwrap_or_default())
    })
}

#[test]
fn tensor_cores_have_products_of_short_floats() {
    let of = |change: &[(&str, &str)]| threads("matmul-40x48x64-f16", change, &MachineModel::cuda(80), None).0;
    let plan = of(&[]);
    let [part] = &plan.parts[..] else { panic!("there is one result") };
    assert!(matches!(&part.form, PartForm::Product(_, tile) if tile.matrix && tile.threads() == plan.threads));
    let plan = of(&[("xf16>", "xf32>")]);
    assert!(matches!(&plan.parts[0].form, PartForm::Product(_, tile) if !tile.matrix));
}

#[test]
fn what_lies_the_other_way_round_goes_through_shared_memory() {
    let of = |change: &[(&str, &str)]| threads("transpose-130x100-f32", change, &MachineModel::vulkan(), None).0;
    assert!(matches!(of(&[]).parts[0].form, PartForm::Transposition(_)));
    assert!(matches!(of(&[("100x130", "130x100"), ("[1, 0]", "[0, 1]")]).parts[0].form, PartForm::Elements));
}

#[test]
fn a_schedule_says_how_many_threads() {
    let of = |n| threads("elementwise-max-D-f32", &[], &MachineModel::cuda(80), Some(("threads", n)));
    let (plan, refused) = of(64);
    assert_eq!((plan.threads, refused), (64, Vec::new()));
    assert!(of(5).1[0].starts_with("nest 0 cannot have `threads = 5`"));
}
