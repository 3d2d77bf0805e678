//! What is chosen for exports of `tests/golden`, for the tests of families.
use super::Family;
use crate::machine::MachineModel;
use crate::schedule::Choices;
use crate::schedule::planner::Planner;
pub(super) use crate::testing::cpu;
use crate::testing::with_graph;
use halyard_ir::form::{NestSchedule, ScheduleSetting};

/// The family of an export after `change`, with the number of a key where one is asked for; and what cannot be of that.
pub(super) fn family(
    export: &str,
    change: &[(&str, &str)],
    target: &MachineModel,
    asked: Option<(&str, i64)>,
) -> (Option<Family>, Vec<String>) {
    let given = asked.map(|(key, n)| vec![NestSchedule(vec![(key.to_owned(), ScheduleSetting::Number(n))])]);
    with_graph(export, change, target, |graph| {
        let mut choices = Choices::new(given.as_deref());
        let family = Planner::new(graph, target, &mut choices).family().expect("its results are tensors");
        let refused = family.is_some().then(|| choices.finish().err()).flatten();
        (family, refused.unwrap_or_default())
    })
}
