use super::{Refusal, Schedule, Work, choose};
use crate::MachineModel;
use crate::schedule::stores::{ResultPlan, Store};
use crate::testing::{cpu, with_graph};
use halyard_ir::form::{NestSchedule, ScheduleSetting};

/// What is chosen for an export, with a number that is asked for.
fn chosen(export: &str, target: &MachineModel, asked: Option<(&str, i64)>) -> Result<Schedule, Refusal> {
    let given = asked.map(|(key, n)| vec![NestSchedule(vec![(key.to_owned(), ScheduleSetting::Number(n))])]);
    with_graph(export, &[], target, |graph| choose(graph, target, given.as_deref()))
}

/// The results of an export that nests compute.
fn results(export: &str, target: &MachineModel) -> Vec<ResultPlan> {
    match chosen(export, target, None).expect("all of it is up to us").work {
        Work::Nests(nests) => nests.results,
        _ => panic!("{export} is no kernel of nests"),
    }
}

#[test]
fn a_family_comes_before_nests_unless_nests_are_asked_for() {
    let target = cpu(|_| {});
    let export = "pool-max-1x16x64x64-f32";
    assert!(matches!(chosen(export, &target, None).unwrap().work, Work::Family(_)));
    let nest = [NestSchedule(vec![("family".to_owned(), ScheduleSetting::Word("nest".to_owned()))])];
    let schedule = with_graph(export, &[], &target, |graph| choose(graph, &target, Some(&nest))).unwrap();
    assert!(matches!(schedule.work, Work::Nests(_)));
    assert!(schedule.chosen.to_string().contains("family = \"nest\""), "{}", schedule.chosen);
}

#[test]
fn a_product_has_tiles_and_workgroups_before_anything_is_emitted() {
    let results = results("matmul-2047x2001x19-f32", &cpu(|_| {}));
    let [ResultPlan::Stored { store: Store::Nest(nest), .. }] = &results[..] else { panic!("one nest computes it") };
    let partition = nest.partition.expect("several workgroups share it");
    assert!(partition.workgroups > 1 && partition.count().is_some_and(|n| n > 1));
    assert_eq!(nest.plan.lanes, 16);
    assert!(nest.plan.unroll_jam.iter().product::<i64>() > 4, "{:?}", nest.plan.unroll_jam);
}

#[test]
fn where_few_tiles_of_a_loop_may_be_another_one_is_shared_too() {
    let of = |export: &str, asked| match chosen(export, &cpu(|_| {}), asked).expect("it is legal").work {
        Work::Nests(mut nests) => match nests.results.remove(0) {
            ResultPlan::Stored { store: Store::Nest(nest), .. } => nest.partition,
            _ => panic!("one nest computes it"),
        },
        _ => panic!("{export} is no kernel of nests"),
    };
    // The outer one of both comes first, whichever is chosen.
    for asked in [None, Some(("parallel_loop", 1))] {
        let partition = of("matmul-DxDxD-f32", asked).expect("it is divided");
        assert!(partition.shares(0) && partition.shares(1) && partition.count().is_none());
        assert_eq!((partition.dim, partition.inside.map(|(dim, _)| dim)), (0, Some(1)));
    }
    let alone = of("matmul-DxDxD-f32", Some(("second_parallel_loop", -1))).expect("it is divided");
    assert!(alone.inside.is_none());
    assert!(of("matmul-2047x2001x19-f32", None).is_some_and(|partition| partition.inside.is_none()));
}

#[test]
fn nests_that_fill_scratch_memory_are_planned_with_the_nest_around_them() {
    let results = results("attention-2x32x48x16-f32", &cpu(|_| {}));
    let [ResultPlan::Stored { store: Store::Nest(nest), .. }] = &results[..] else { panic!("one nest computes it") };
    let scratch = nest.plan.items.iter().filter(|item| item.scratch);
    for item in scratch.clone() {
        let inner = nest.inner.iter().find(|inner| inner.id == item.id).expect("it is planned");
        assert!(inner.nest.as_ref().is_some_and(|inner| inner.partition.is_none()));
    }
    assert!(scratch.count() > 0);
}

#[test]
fn a_concatenation_is_stored_part_by_part() {
    let results = results("concat-9x8-f32", &cpu(|_| {}));
    let [ResultPlan::Stored { store: Store::Joined(parts), .. }] = &results[..] else { panic!("its parts are stored") };
    assert!(parts.len() > 1 && parts.iter().all(|part| matches!(part, Store::Nest(_))));
}

#[test]
fn what_cannot_be_is_refused_without_a_kernel() {
    let target = cpu(|_| {});
    let Err(Refusal::Schedule(why)) = chosen("matmul-13x17x19-f32", &target, Some(("lanes", 5))) else {
        panic!("there are no vectors of 5")
    };
    assert_eq!(why, ["nest 0 cannot have `lanes = 5`: legal are `2`, `4`, `8`, `16`"]);
}
