//! Kernels that compete with the one that a program has: each is checked against the source, then timed by turns with it.
//!
//! Contestants run in worker processes, one after the other ([`contest`]). A contestant that crashes, hangs, or ends its
//! process takes nothing with it. [`ring`] loads and checks it, [`conduct`] looks at what it did to its process, and
//! [`timing`] measures it on the threads that programs have.
mod conduct;
mod entrant;
mod hot;
mod place;
mod ring;
mod timing;

pub use hot::HotSpot;
pub use place::ContestPlace;

use crate::{Case, InexactKernels, fault, report};
use halyard_diag::Error;
use halyard_exec::{How, ItemOutcome, Limits, Loss, Slots, isolated};
use halyard_ir::Session;
use serde::{Deserialize, Serialize};
use std::{num::NonZeroUsize, time::Duration};

/// How contestants are checked and timed.
#[derive(Debug, Clone)]
pub struct ContestOptions {
    /// Runs beside the reference, on random inputs.
    pub checks: u32,
    /// Where the random inputs begin; a kernel must not be able to know it.
    pub seed: u64,
    /// Whether kernels may trade exactness for speed.
    pub fast: InexactKernels,
    /// The threads that kernels run on; 0 is one per available core.
    pub threads: usize,
    /// How long a contestant may take in all.
    pub limit: Duration,
    /// How carefully to measure.
    pub effort: Effort,
    /// Whether contestants come from elsewhere: each gets a process of its own, and is measured on fresh inputs, too.
    pub foreign: bool,
    /// Whether caches are emptied before each call that is timed.
    pub cold: bool,
    /// What is timed; kernels are checked at all sizes that they may have, whatever stands here.
    pub places: Vec<ContestPlace>,
}

/// How carefully to measure.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// At least so many samples of each kernel.
    pub samples: usize,
    /// At least so long for each kernel.
    pub time: Duration,
    /// Stop early at a contestant that takes so many times as long as the incumbent.
    pub hopeless: f64,
    /// Also measure the incumbent beside a second copy of itself: how far equal kernels are apart.
    pub twin: bool,
}

/// Running times, in seconds per call. The samples of a position were taken one after the other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ContestTimes {
    /// Of the kernel that the program has.
    pub incumbent: Vec<f64>,
    /// Of a second copy of it; empty unless asked for.
    pub twin: Vec<f64>,
    /// Of the contestant.
    pub contestant: Vec<f64>,
    /// Where the contestant's time goes at the first place, the hottest instruction first; empty if nothing is known.
    pub hot: Vec<HotSpot>,
}

/// What came of a contestant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// It is right, and takes so long.
    Timed(ContestTimes),
    /// It is wrong, or did what kernels must not do: the code of the reason, and the reason.
    Rejected(String, String),
    /// Nothing can be said of it here: why.
    Skipped(String),
}

/// Lets variants of an executable compete with one of them. The verdicts come in the order of the contestants.
pub fn contest(session: &Session, incumbent: &Case, contestants: &[Case], options: &ContestOptions) -> Vec<Verdict> {
    if !options.foreign {
        return run(session, incumbent, contestants, options);
    }
    contestants.iter().flat_map(|one| run(session, incumbent, std::slice::from_ref(one), options)).collect()
}

fn run(session: &Session, incumbent: &Case, contestants: &[Case], options: &ContestOptions) -> Vec<Verdict> {
    let limits = Limits {
        // One at a time: what runs beside a measurement disturbs it.
        slots: Slots::new(NonZeroUsize::new(1)),
        time: Some(options.limit),
        memory: None,
        keep_going: true,
    };
    let mut ring = None;
    let outcomes = isolated(contestants.len(), &limits, |i| {
        let ring = ring.get_or_insert_with(|| ring::Ring::new(session, incumbent, options));
        ring.judge(&contestants[i])
    });
    outcomes.into_iter().zip(contestants).map(|(outcome, contestant)| verdict(outcome, contestant)).collect()
}

fn verdict(outcome: ItemOutcome<Verdict>, contestant: &Case) -> Verdict {
    match outcome {
        ItemOutcome::Done { value, .. } => value,
        ItemOutcome::Skipped => Verdict::Skipped("it was not tried".into()),
        ItemOutcome::Lost(Loss { how: How::NotStarted(why), .. }) => {
            Verdict::Skipped(format!("no worker process could be started: {why}"))
        }
        ItemOutcome::Lost(loss) => {
            let code = if matches!(loss.how, How::TooSlow(_)) { "timeout" } else { "kernel-crashed" };
            let why = format!("it {}", loss.how.words());
            match report::lost(contestant, "", &loss) {
                // Where it was, if it was being checked.
                Ok(error) => {
                    let notes = error.diagnostics.into_iter().flat_map(|d| d.notes);
                    Verdict::Rejected(code.into(), std::iter::once(why).chain(notes).collect::<Vec<_>>().join(", "))
                }
                Err(_) if loss.said.contains(fault::BEGIN) => Verdict::Rejected(code.into(), why),
                Err(why) => Verdict::Skipped(why),
            }
        }
    }
}

/// An error as a verdict.
fn rejected(error: &Error) -> Verdict {
    let first = error.diagnostics.first();
    let code = first.and_then(|d| d.code).unwrap_or("wrong-kernel");
    Verdict::Rejected(code.into(), first.map_or_else(|| error.to_string(), |d| d.message.clone()))
}
