//! Runs work that may crash, hang or exhaust memory in worker processes, which are forks of this one.
//!
//! A fork shares what the process has loaded and parsed so far, so a worker starts in a millisecond and receives only
//! the number of its next item; it answers with the serialised result. A worker that dies loses one item, and a new
//! worker replaces it. The calling thread alone watches them: between two calls of [`isolated`] no descriptors are
//! left, and no processes except those that are ending.
//!
//! The caller must be the main thread, or one that outlives the call, and no other thread may hold locks that a fork
//! would leave taken (MLIR's thread pool, say): workers could never acquire them.

mod child;
mod crash;
mod frame;
mod peak;
mod pool;
mod process;

use crate::{Slots, signal_name};
pub use child::{EXIT_GAVE_UP, EXIT_MEMORY};
pub use crash::naming_crashes;
pub use peak::set_memory_release;
use pool::Slow;
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;

/// Limits of the workers.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The slots that limit how many workers are busy at once.
    pub slots: Slots,
    /// The time limit of one item.
    pub time: Option<Duration>,
    /// The memory that a worker may use beyond what this process has when it starts, in bytes.
    pub memory: Option<u64>,
    /// Go on with other items after a worker was lost.
    pub keep_going: bool,
    /// Assign an item once more if its worker was killed by SIGKILL: that comes from outside, as when the system runs out of memory.
    pub retry_killed: bool,
}

/// The outcome of an item.
#[derive(Debug)]
pub enum ItemOutcome<R> {
    /// The item was processed.
    Done {
        /// The result.
        value: R,
        /// Everything that it wrote to standard error.
        said: String,
    },
    /// The worker was lost.
    Lost(Loss),
    /// Nobody got to it: another one was lost before.
    Skipped,
}

/// A worker that did not give a result.
#[derive(Debug, Clone)]
pub struct Loss {
    /// The way the worker ended.
    pub how: How,
    /// The end of its standard error, with a backtrace if it crashed.
    pub said: String,
}

/// The ways in which a worker is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// A signal ended it.
    Signal(i32),
    /// Its stack was too small for a deep recursion.
    StackOverflow,
    /// It needed more memory than its limit, or than the machine has.
    OutOfMemory(Option<u64>),
    /// It exceeded this time limit and was ended.
    TooSlow(Duration),
    /// A library aborted the process with a message.
    GaveUp,
    /// A bug in our own code, which the worker reported.
    Panicked,
    /// It exited with this code, or sent an invalid result.
    NoResult(i32),
    /// No worker could be started, for this reason.
    NotStarted(String),
}

impl How {
    /// Whether the work has nothing to do with it: no process could be started for it, or SIGKILL ended that.
    pub fn is_from_outside(&self) -> bool {
        matches!(self, Self::NotStarted(_) | Self::Signal(libc::SIGKILL))
    }

    /// Describes the loss, as the end of a sentence that begins with the work: `crashed with SIGSEGV (11)`.
    pub fn words(&self) -> String {
        let limit = |limit: &Option<u64>| limit.map_or_else(String::new, |l| format!(" (the limit is {l} bytes)"));
        match self {
            Self::Signal(libc::SIGKILL) => "was killed by SIGKILL (9)".into(),
            Self::Signal(signal) => format!("crashed with {} ({signal})", signal_name(*signal).unwrap_or("signal")),
            Self::StackOverflow => "crashed: the stack overflowed".into(),
            Self::OutOfMemory(given) => format!("ran out of memory{}", limit(given)),
            Self::TooSlow(limit) => format!("did not finish within {} s and was ended", limit.as_secs_f64()),
            Self::GaveUp => "was given up".into(),
            Self::Panicked => "failed with a bug in this tool".into(),
            Self::NoResult(code) => format!("ended with exit code {code} and without a result"),
            Self::NotStarted(why) => format!("could not be started: {why}"),
        }
    }
}

/// Does `count` items of work in worker processes, at most as many at once as there are slots; the outcomes come in the
/// order of the items. `work` runs in the workers only: what it keeps between calls, each worker has for itself.
pub fn isolated<R: Serialize + DeserializeOwned>(
    count: usize,
    limits: &Limits,
    work: impl FnMut(usize) -> R,
) -> Vec<ItemOutcome<R>> {
    collected(count, limits, None, work)
}

/// As [`isolated`], and reports items that take long while they run: `slow` gets the number of an item that has taken `patience`, with that
/// time, and again each time it has doubled.
pub fn isolated_noting_slow<R: Serialize + DeserializeOwned>(
    count: usize,
    limits: &Limits,
    patience: Duration,
    work: impl FnMut(usize) -> R,
    mut slow: impl FnMut(usize, Duration),
) -> Vec<ItemOutcome<R>> {
    collected(count, limits, Some(Slow { after: patience, tell: &mut slow }), work)
}

fn collected<R: Serialize + DeserializeOwned>(
    count: usize,
    limits: &Limits,
    slow: Option<Slow<'_>>,
    work: impl FnMut(usize) -> R,
) -> Vec<ItemOutcome<R>> {
    let mut outcomes: Vec<ItemOutcome<R>> = (0..count).map(|_| ItemOutcome::Skipped).collect();
    each(count, limits, slow, work, |item, outcome| outcomes[item] = outcome);
    outcomes
}

/// As [`isolated`], but `tell` gets each outcome with the number of its item as soon as it is there. It is called exactly once for each
/// item; those that nobody got to come last. Meanwhile the worker that gave the result is idle.
pub fn isolated_each<R: Serialize + DeserializeOwned>(
    count: usize,
    limits: &Limits,
    work: impl FnMut(usize) -> R,
    tell: impl FnMut(usize, ItemOutcome<R>),
) {
    each(count, limits, None, work, tell);
}

fn each<R: Serialize + DeserializeOwned>(
    count: usize,
    limits: &Limits,
    slow: Option<Slow<'_>>,
    mut work: impl FnMut(usize) -> R,
    mut tell: impl FnMut(usize, ItemOutcome<R>),
) {
    let mut work = |item: usize| postcard::to_stdvec(&work(item)).expect("results are plain data");
    let mut tell = |item: usize, outcome: ItemOutcome<Vec<u8>>| {
        let outcome = match outcome {
            ItemOutcome::Done { value, said } => match postcard::from_bytes(&value) {
                Ok(value) => ItemOutcome::Done { value, said },
                Err(_) => ItemOutcome::Lost(Loss { how: How::NoResult(0), said }),
            },
            ItemOutcome::Lost(loss) => ItemOutcome::Lost(loss),
            ItemOutcome::Skipped => ItemOutcome::Skipped,
        };
        tell(item, outcome);
    };
    pool::run(count, limits, slow, &mut work, &mut tell);
}

#[cfg(test)]
mod tests;
