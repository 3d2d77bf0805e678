use super::{pieces::divide, *};
use std::sync::atomic::Ordering;

fn task(total: u64, cost: u64) -> Task {
    Task {
        number: 0,
        function: 0,
        label: crate::crash::label("test"),
        accesses: 0..0,
        arguments: 0..0,
        count: 0,
        workgroups: [total as u32, 1, 1],
        total,
        cost,
    }
}

#[test]
fn shares_cover_every_workgroup_once_and_cost_alike() {
    for costs in [
        vec![(16, 160)],
        vec![(1, 1000), (1, 10)],
        vec![(3, 1), (1000, 5), (7, 7000), (1, 1)],
        vec![(u64::from(u32::MAX), u64::MAX / 4), (5, 9)],
    ] {
        let tasks: Vec<Task> = costs.iter().map(|&(total, cost)| task(total, cost)).collect();
        for threads in [1, 2, 3, 16] {
            let (mut segments, mut shares) = (Vec::new(), Vec::new());
            divide(&tasks, threads, &mut segments, &mut shares);
            assert_eq!(shares.len(), threads);
            for (i, t) in tasks.iter().enumerate() {
                let mut at = 0;
                for s in segments.iter().filter(|s| s.task == i) {
                    assert_eq!(s.next.load(Ordering::Relaxed), at);
                    assert!(s.step >= 1);
                    at = s.end;
                }
                assert_eq!(at, t.total, "{costs:?}, {threads} threads");
            }
        }
    }
}

#[test]
fn memory_that_is_written_conflicts() {
    let span = |address, bytes| DeviceRange { address, bytes };
    let (bindings, written) = ([span(100, 50), span(200, 50)], [false, true]);
    let dispatch = Dispatch {
        number: 0,
        function: 0,
        label: crate::crash::label("test"),
        bindings: &bindings,
        written: &written,
        constants: &[],
        workgroups: [1; 3],
        cost: 1,
    };
    let mut batch = Batch::default();
    assert!(!batch.must_run_before(&dispatch));
    batch.add(&dispatch);
    // Two that write the same place.
    assert!(batch.must_run_before(&dispatch));
    assert!(
        !batch.conflicts(span(100, 50), false)
            && batch.conflicts(span(149, 1), true)
            && !batch.conflicts(span(150, 50), true)
    );
    assert!(
        batch.conflicts(span(0, 1000), false)
            && batch.conflicts(span(249, 9), false)
            && !batch.conflicts(span(250, 9), true)
    );
}
