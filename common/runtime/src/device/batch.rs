//! Dispatches that wait for each other or not.
//!
//! Dispatches that touch no memory that another one writes may run at the same time. They are collected, and run together
//! when something comes that must wait for one of them. All their workgroups, one dispatch after the other, make one row;
//! each thread begins with an equal share of it, measured by estimated cost, and helps others when it is done.
use super::{
    DeviceRange,
    invoke::{LEAST_ARGUMENTS, invoke},
    pool::Pool,
    scratch::{Record, Scratch},
};
use crate::crash::{Access, Label, Workgroup, with_slot};
use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicU64, Ordering},
};

/// So many dispatches are collected at most.
const MOST: usize = 8;
/// A share is taken in this many pieces, so that threads that are done can help with the rest.
const PIECES: u64 = 8;

/// A dispatch to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dispatch<'a> {
    /// The address of the kernel.
    pub(super) function: usize,
    /// Its name.
    pub(super) label: Label,
    pub(super) bindings: &'a [DeviceRange],
    /// For each binding: whether the kernel writes it.
    pub(super) written: &'a [bool],
    pub(super) constants: &'a [i64],
    /// How many; none is 0.
    pub(super) workgroups: [u32; 3],
    /// Estimated, in nanoseconds of one thread; at least 1.
    pub(super) cost: u64,
}

impl Dispatch<'_> {
    fn accesses(&self) -> impl Iterator<Item = Access> {
        self.bindings.iter().zip(self.written).map(|(&span, &written)| Access::new(span, written))
    }

    fn total(&self) -> u64 {
        self.workgroups.map(u64::from).iter().product()
    }
}

/// What is collected. Everything keeps its memory, so that the steady state allocates nothing.
#[derive(Debug, Default)]
pub(super) struct Batch {
    tasks: Vec<Task>,
    /// The arguments of all tasks.
    arguments: Vec<u64>,
    /// The memory that they touch.
    accesses: Vec<Access>,
    segments: Vec<Segment>,
    /// The segments that each thread begins with.
    shares: Vec<Range<usize>>,
    /// What each thread has.
    own: Vec<Own>,
    /// The memory that a dispatch touches that is run at once.
    here: Vec<Access>,
}

/// What a thread has for itself, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Own {
    /// Arguments.
    list: Vec<u64>,
    scratch: Scratch,
}

#[derive(Debug)]
struct Task {
    function: usize,
    label: Label,
    /// Where the memory that it touches is in the list.
    accesses: Range<usize>,
    /// Where its arguments start; they end with those of the next one.
    arguments: Range<usize>,
    /// How many of them the kernel takes.
    count: usize,
    workgroups: [u32; 3],
    total: u64,
    cost: u64,
}

/// Consecutive workgroups of a task, on a cache line of their own.
#[derive(Debug)]
#[repr(align(64))]
struct Segment {
    task: usize,
    next: AtomicU64,
    end: u64,
    /// How many are taken at once. A thread that is held up hands on at most this many late.
    step: u64,
}

impl Batch {
    /// Whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Whether something that touches this memory must wait for what is collected.
    pub(super) fn conflicts(&self, span: DeviceRange, written: bool) -> bool {
        let access = Access::new(span, written);
        self.accesses.iter().any(|a| a.conflicts(&access))
    }

    /// Whether a dispatch must wait for what is collected, or there is no room for it.
    pub(super) fn must_run_before(&self, dispatch: &Dispatch<'_>) -> bool {
        let mut pairs = dispatch.bindings.iter().zip(dispatch.written);
        self.tasks.len() >= MOST || pairs.any(|(&span, &written)| self.conflicts(span, written))
    }

    /// Collects a dispatch, for which nothing must run before.
    pub(super) fn add(&mut self, dispatch: &Dispatch<'_>) {
        let first = self.accesses.len();
        self.accesses.extend(dispatch.accesses());
        let start = self.arguments.len();
        let count = push_arguments(&mut self.arguments, dispatch);
        self.tasks.push(Task {
            function: dispatch.function,
            label: dispatch.label,
            accesses: first..self.accesses.len(),
            arguments: start..self.arguments.len(),
            count,
            workgroups: dispatch.workgroups,
            total: dispatch.total(),
            cost: dispatch.cost.max(1),
        });
    }

    /// Runs what is collected, and waits for it.
    ///
    /// # Safety
    /// The kernels take such arguments, and what they touch is live and of the sizes that they expect.
    pub(super) unsafe fn run(&mut self, pool: &mut Pool) {
        let Self { tasks, segments, shares, own, .. } = self;
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
        let accesses = &*self.accesses;
        let job = |thread: usize| {
            // SAFETY: each thread takes what is its own, and that outlives the job.
            let own = unsafe { &mut *everyone.get().add(thread) };
            // First its own share, then what is left of the others'.
            let first = shares.get(thread).map_or(0, |share| share.start);
            for segment in segments[first..].iter().chain(&segments[..first]) {
                let task = &tasks[segment.task];
                let mut scratch = None;
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
                    // SAFETY: the caller's promise.
                    unsafe { run(task.kernel(accesses), (&mut own.list, task.count), task.workgroups, range, scratch) };
                }
            }
        };
        // Whatever happens, what is collected is forgotten: its memory may be gone when the next one comes.
        let ran = catch_unwind(AssertUnwindSafe(|| if threads == 1 { job(0) } else { pool.run(&job) }));
        self.tasks.clear();
        self.arguments.clear();
        self.accesses.clear();
        ran.unwrap_or_else(|panic| resume_unwind(panic));
        self.grow();
    }

    /// Runs a dispatch on this thread, at once.
    ///
    /// # Safety
    /// As for [`Batch::run`]; nothing that is collected conflicts with it.
    pub(super) unsafe fn run_here(&mut self, dispatch: &Dispatch<'_>) {
        if self.own.is_empty() {
            self.own.push(Own::default());
        }
        let Own { list, scratch } = &mut self.own[0];
        list.clear();
        let count = push_arguments(list, dispatch);
        self.here.clear();
        self.here.extend(dispatch.accesses());
        let kernel = Kernel { function: dispatch.function, label: dispatch.label, accesses: &self.here };
        // SAFETY: the caller's promise.
        unsafe { run(kernel, (list, count), dispatch.workgroups, 0..dispatch.total(), scratch.begin()) };
        self.grow();
    }

    /// Gives all threads the scratch memory that one of them wanted.
    fn grow(&mut self) {
        let wanted = self.own.iter().map(|own| own.scratch.wanted()).max().unwrap_or(0);
        if wanted > 0 {
            self.own.iter_mut().for_each(|own| own.scratch.grow(wanted));
        }
    }
}

/// Appends the arguments of a kernel; gives their number. The last one is the workgroup's, filled in later.
fn push_arguments(list: &mut Vec<u64>, dispatch: &Dispatch<'_>) -> usize {
    let start = list.len();
    list.extend(dispatch.bindings.iter().map(|b| b.address));
    list.extend(dispatch.constants.iter().map(|&c| c as u64));
    list.push(0);
    let count = list.len() - start;
    list.resize(start + count.max(LEAST_ARGUMENTS), 0);
    count
}

/// Divides the row of all workgroups into shares of about equal cost.
fn divide(tasks: &[Task], threads: usize, segments: &mut Vec<Segment>, shares: &mut Vec<Range<usize>>) {
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

/// Lets threads share the array of what each has for itself.
struct Everyone(*mut Own);
// SAFETY: see the use.
unsafe impl Sync for Everyone {}
impl Everyone {
    fn get(&self) -> *mut Own {
        self.0
    }
}

/// A kernel, and what is told of it if it crashes.
#[derive(Debug, Clone, Copy)]
struct Kernel<'a> {
    function: usize,
    label: Label,
    accesses: &'a [Access],
}

impl Task {
    fn kernel<'a>(&self, accesses: &'a [Access]) -> Kernel<'a> {
        Kernel { function: self.function, label: self.label, accesses: &accesses[self.accesses.clone()] }
    }
}

/// Executes a range of workgroups, counted with x fastest. The arguments are so many of the list.
///
/// # Safety
/// See [`invoke`].
unsafe fn run(
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
        // The workgroup that the kernel is told is where others look for it, should it crash.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn task(total: u64, cost: u64) -> Task {
        Task {
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
}
