//! Divides a batch into pieces, and runs one.
use super::super::{
    invoke::{LEAST_ARGUMENTS, invoke},
    pool::Pool,
    scratch::Record,
};
use super::{Batch, Dispatch, Own, PIECES, Segment, Task};
use crate::crash::{Access, Label, Workgroup, with_slot};
use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicU64, Ordering},
};

impl Batch {
    /// Runs what is collected, and waits for it.
    ///
    /// # Safety
    /// The kernels take such arguments, and what they touch is live and of the sizes that they expect.
    pub(in crate::device) unsafe fn run(&mut self, pool: &mut Pool) {
        let Self { tasks, segments, shares, own, since, .. } = self;
        let workgroups: u64 = tasks.iter().map(|t| t.total).sum();
        if tasks.is_empty() {
            return;
        }
        let threads = usize::try_from(workgroups).unwrap_or(usize::MAX).min(pool.threads());
        divide(tasks, threads, segments, shares);
        own.resize_with(pool.threads().max(own.len()), Own::default);
        let longest = tasks.iter().map(|t| t.arguments.len()).max().unwrap_or(0);
        for Own { list, .. } in own.iter_mut() {
            // Here, so that threads allocate nothing.
            list.reserve(longest.saturating_sub(list.len()));
        }
        let everyone = Everyone(own.as_mut_ptr());
        let (tasks, segments, shares, arguments) = (&*tasks, &*segments, &*shares, &*self.arguments);
        let (accesses, since) = (&*self.accesses, *since);
        let job = |thread: usize| {
            // SAFETY: each thread takes what is its own, and that outlives the job.
            let own = unsafe { &mut *everyone.get().add(thread) };
            // First the thread's own share, then the rest of the others' shares.
            let first = shares.get(thread).map_or(0, |share| share.start);
            for segment in segments[first..].iter().chain(&segments[..first]) {
                let task = &tasks[segment.task];
                let mut scratch = None;
                let (started, mut count) = (since.map(|s| s.elapsed()), 0);
                loop {
                    let start = segment.next.fetch_add(segment.step, Ordering::Relaxed);
                    if start >= segment.end {
                        break;
                    }
                    let scratch = *scratch.get_or_insert_with(|| {
                        own.list.clear();
                        own.list.extend_from_slice(&arguments[task.arguments.clone()]);
                        own.scratch.begin()
                    });
                    let range = start..segment.end.min(start + segment.step);
                    count += range.end - range.start;
                    // SAFETY: the caller's promise.
                    unsafe { run(task.kernel(accesses), (&mut own.list, task.count), task.workgroups, range, scratch) };
                }
                if let (Some(since), Some(started)) = (since, started.filter(|_| count > 0)) {
                    own.ran(thread, task.number, count, started.as_nanos() as u64, since);
                }
            }
        };
        // Whatever happens, what is collected is forgotten: its memory may be gone when the next one comes.
        let ran = catch_unwind(AssertUnwindSafe(|| if threads == 1 { job(0) } else { pool.run(&job) }));
        self.tasks.clear();
        self.arguments.clear();
        self.accesses.clear();
        ran.unwrap_or_else(|panic| resume_unwind(panic));
        self.waited();
        self.grow();
    }
}

/// Appends the arguments of a kernel; gives their number. The last one is the workgroup's, filled in later.
pub(super) fn push_arguments(list: &mut Vec<u64>, dispatch: &Dispatch<'_>) -> usize {
    let start = list.len();
    list.extend(dispatch.bindings.iter().map(|b| b.address));
    list.extend(dispatch.constants.iter().map(|&c| c as u64));
    list.push(0);
    let count = list.len() - start;
    list.resize(start + count.max(LEAST_ARGUMENTS), 0);
    count
}

/// Divides the row of all workgroups into shares of about equal cost.
pub(super) fn divide(tasks: &[Task], threads: usize, segments: &mut Vec<Segment>, shares: &mut Vec<Range<usize>>) {
    segments.clear();
    shares.clear();
    let cost: u64 = tasks.iter().map(|t| t.cost).sum();
    // The workgroup of a task, that costs have reached `mark` with when the task starts at `before`.
    let workgroup = |task: &Task, before: u64, mark: u64| -> u64 {
        let within = u128::from(mark.saturating_sub(before).min(task.cost));
        (within * u128::from(task.total) / u128::from(task.cost)) as u64
    };
    for thread in 0..threads as u64 {
        let mark = |n: u64| (u128::from(cost) * u128::from(n) / threads as u128) as u64;
        let (from, to) = (mark(thread), mark(thread + 1));
        let (first, mut before) = (segments.len(), 0);
        for (i, task) in tasks.iter().enumerate() {
            let (start, end) = (workgroup(task, before, from), workgroup(task, before, to));
            if start < end {
                let step = if threads == 1 { end - start } else { ((end - start) / PIECES).max(1) };
                segments.push(Segment { task: i, next: AtomicU64::new(start), end, step });
            }
            before += task.cost;
        }
        shares.push(first..segments.len());
    }
}

/// Shares the array of the threads' own data between threads.
struct Everyone(*mut Own);

// SAFETY: see the use.
unsafe impl Sync for Everyone {}

impl Everyone {
    fn get(&self) -> *mut Own {
        self.0
    }
}

/// A kernel with its data for crash reports.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel<'a> {
    pub(super) function: usize,
    pub(super) label: Label,
    pub(super) accesses: &'a [Access],
}

/// Executes a range of workgroups, counted with x fastest. The first `count` entries of the list are the arguments.
///
/// # Safety
/// See [`invoke`].
pub(super) unsafe fn run(
    kernel: Kernel<'_>,
    (arguments, count): (&mut [u64], usize),
    workgroups: [u32; 3],
    range: Range<u64>,
    scratch: *mut Record,
) {
    let start = range.start;
    let [x, y, _] = workgroups.map(u64::from);
    let id = [(start % x) as u32, (start / x % y) as u32, (start / x / y) as u32];
    with_slot(|slot| {
        // Crash reports read the workgroup from the place that the kernel receives.
        let group = Workgroup { id, count: workgroups, scratch };
        let pointer = slot.enter(kernel.label, kernel.function, kernel.accesses, group);
        arguments[count - 1] = pointer as u64;
        for _ in range {
            // SAFETY: the caller's promise; the slot lives through the call.
            unsafe { invoke(kernel.function, arguments, count) };
            // SAFETY: the pointer is to what only this thread writes; the kernel only reads it.
            let id = unsafe { &mut (*pointer).id };
            id[0] += 1;
            if id[0] == workgroups[0] {
                id[0] = 0;
                id[1] += 1;
                if id[1] == workgroups[1] {
                    id[1] = 0;
                    id[2] += 1;
                }
            }
        }
        slot.leave();
    });
}
