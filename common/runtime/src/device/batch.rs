//! Collects independent dispatches and runs them together.
//!
//! Dispatches that do not access memory that another one writes may run at the same time. They are collected, and run
//! together when a command must wait for one of them. All their workgroups, dispatch after dispatch, form one
//! sequence; each thread starts with an equal share by estimated cost, and helps others when it is done.
mod pieces;
mod spans;
#[cfg(test)]
mod tests;

use super::{DeviceRange, scratch::Scratch};
use crate::{
    TimelineSpan,
    crash::{Access, Label},
};
use pieces::{Kernel, push_arguments, run};
use std::{ops::Range, sync::atomic::AtomicU64, time::Instant};

/// The most dispatches that are collected.
const MOST: usize = 8;
/// A share is taken in this many pieces, so that threads that are done can help with the rest.
const PIECES: u64 = 8;

/// A dispatch to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dispatch<'a> {
    /// Its place in the order of dispatches.
    pub(super) number: u32,
    /// The address of the kernel's function.
    pub(super) function: usize,
    /// The name for crash reports.
    pub(super) label: Label,
    pub(super) bindings: &'a [DeviceRange],
    /// For each binding, whether the kernel writes it.
    pub(super) written: &'a [bool],
    pub(super) constants: &'a [i64],
    /// The workgroup count; none of its factors is 0.
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

/// The collected dispatches. All vectors keep their memory, so that the steady state allocates nothing.
#[derive(Debug, Default)]
pub(super) struct Batch {
    tasks: Vec<Task>,
    /// The arguments of all tasks.
    arguments: Vec<u64>,
    /// The memory that the tasks access.
    accesses: Vec<Access>,
    segments: Vec<Segment>,
    /// The segments that each thread begins with.
    shares: Vec<Range<usize>>,
    /// The arguments and the scratch memory of each thread.
    own: Vec<Own>,
    /// The memory that a dispatch touches that is run at once.
    here: Vec<Access>,
    /// Spans are recorded, in time since then.
    since: Option<Instant>,
}

/// Data of one thread, on separate cache lines.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Own {
    /// The kernel's arguments.
    list: Vec<u64>,
    scratch: Scratch,
    /// What the thread did, if that is recorded.
    spans: Vec<TimelineSpan>,
}

#[derive(Debug)]
struct Task {
    number: u32,
    function: usize,
    label: Label,
    /// The range of its accesses in the list.
    accesses: Range<usize>,
    /// The start of its arguments; they end where those of the next one start.
    arguments: Range<usize>,
    /// The number of arguments of the kernel.
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
    /// Workgroups that a thread takes at a time. A delayed thread delays at most this many.
    step: u64,
}

impl Batch {
    /// Whether no dispatch is collected.
    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Whether an access to this memory must wait for the collected dispatches.
    pub(super) fn conflicts(&self, span: DeviceRange, written: bool) -> bool {
        let access = Access::new(span, written);
        self.accesses.iter().any(|a| a.conflicts(&access))
    }

    /// Whether the collected dispatches must run before this one, or there is no room for it.
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
            number: dispatch.number,
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

    /// Runs a dispatch on this thread, immediately.
    ///
    /// # Safety
    /// As for [`Batch::run`]; no collected dispatch may conflict with it.
    pub(super) unsafe fn run_here(&mut self, dispatch: &Dispatch<'_>) {
        if self.own.is_empty() {
            self.own.push(Own::default());
        }
        let started = self.now();
        let Own { list, scratch, .. } = &mut self.own[0];
        list.clear();
        let count = push_arguments(list, dispatch);
        self.here.clear();
        self.here.extend(dispatch.accesses());
        let kernel = Kernel { function: dispatch.function, label: dispatch.label, accesses: &self.here };
        // SAFETY: the caller's promise.
        unsafe { run(kernel, (list, count), dispatch.workgroups, 0..dispatch.total(), scratch.begin()) };
        self.ran_here(dispatch, started);
        self.grow();
    }

    /// Grows the scratch memory of all threads to the size that one of them wanted.
    fn grow(&mut self) {
        let wanted = self.own.iter().map(|own| own.scratch.wanted()).max().unwrap_or(0);
        if wanted > 0 {
            self.own.iter_mut().for_each(|own| own.scratch.grow(wanted));
        }
    }
}

impl Task {
    fn kernel<'a>(&self, accesses: &'a [Access]) -> Kernel<'a> {
        Kernel { function: self.function, label: self.label, accesses: &accesses[self.accesses.clone()] }
    }
}
