//! Kernels that compete with the one that a program has: each is checked against the source, then timed by turns with it.
//!
//! What all contestants need is computed first ([`prepared`]). They run in worker processes, one after the other ([`Contest::judge`]); one that
//! crashes, hangs, or ends its process takes nothing with it. [`ring`] loads and checks it, [`conduct`] looks at what it did to its process, and
//! [`timing`] measures it on the threads that programs have.
mod conduct;
mod entrant;
mod hot;
mod place;
mod prepared;
mod ring;
mod stand;
mod timing;

pub use hot::HotSpot;
pub use place::ContestPlace;

use crate::{Case, InexactKernels, fault, report};
use halyard_diag::Error;
use halyard_exec::{How, ItemOutcome, Limits, Loss, Slots, isolated, isolated_each};
use halyard_ir::Session;
use halyard_runtime::DeviceName;
use prepared::Prepared;
use ring::Ring;
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
    /// A contestant that takes no more than this part of the incumbent's time is measured again, with this effort.
    pub again: Option<(f64, Effort)>,
    /// Whether contestants come from elsewhere: each gets a process of its own, and is measured on fresh inputs, too.
    pub foreign: bool,
    /// Whether caches are emptied before each call that is timed.
    pub cold: bool,
    /// The device that contestants run on; `None`: this CPU.
    pub device: Option<DeviceName>,
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
    /// So many samples say where the contestant's time goes; 0 for none, fewer than 40 say nothing.
    pub hot: usize,
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

impl ContestTimes {
    /// The contestant's time as a part of the incumbent's, by medians.
    pub fn ratio(&self) -> f64 {
        halyard_statistics::median(&self.contestant) / halyard_statistics::median(&self.incumbent)
    }
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

/// A kernel that a program has, and what others need to compete with it.
#[derive(Debug)]
pub struct Contest {
    incumbent: Case,
    prepared: Result<Prepared, String>,
}

impl Contest {
    /// Computes what is the same for all contestants of a kernel: its reference, and the results of that. The places, the checks and the seed of
    /// `options` are those of all contests. Why it cannot be done is the verdict on each contestant.
    pub fn new(session: &Session, incumbent: Case, options: &ContestOptions) -> Self {
        let prepare = |_| Prepared::new(session, &incumbent, options);
        let prepared = match isolated(1, &limits(options), prepare).pop() {
            Some(ItemOutcome::Done { value, .. }) => value,
            Some(ItemOutcome::Lost(loss)) => Err(match &loss.how {
                How::NotStarted(why) => format!("no worker process could be started: {why}"),
                How::TooSlow(limit) => format!("its reference took longer than {} s", limit.as_secs_f64()),
                how => format!("its reference could not be computed: it {}", how.words()),
            }),
            Some(ItemOutcome::Skipped) | None => Err("its reference was not computed".into()),
        };
        Self { incumbent, prepared }
    }

    /// Lets variants of the executable compete. `tell` gets the verdict of each contestant, by its number, as soon as it is there, and nothing is
    /// measured meanwhile.
    pub fn judge(
        &self,
        session: &Session,
        contestants: &[Case],
        options: &ContestOptions,
        tell: &mut dyn FnMut(usize, Verdict),
    ) {
        let prepared = match &self.prepared {
            Ok(prepared) => prepared,
            Err(why) => return (0..contestants.len()).for_each(|i| tell(i, Verdict::Skipped(why.clone()))),
        };
        let run = |contestants: &[Case], tell: &mut dyn FnMut(usize, Verdict)| {
            let mut ring = None;
            let judge = |i: usize| {
                let ring = ring.get_or_insert_with(|| Ring::new(session, &self.incumbent, prepared, options));
                ring.judge(&contestants[i])
            };
            let verdict = |i: usize, outcome| tell(i, verdict(outcome, &contestants[i]));
            isolated_each(contestants.len(), &limits(options), judge, verdict);
        };
        if !options.foreign {
            return run(contestants, tell);
        }
        for (i, one) in contestants.iter().enumerate() {
            run(std::slice::from_ref(one), &mut |_, verdict| tell(i, verdict));
        }
    }
}

fn limits(options: &ContestOptions) -> Limits {
    Limits {
        // One at a time: what runs beside a measurement disturbs it.
        slots: Slots::new(NonZeroUsize::new(1)),
        time: Some(options.limit),
        memory: None,
        keep_going: true,
        retry_killed: true,
    }
}

fn verdict(outcome: ItemOutcome<Verdict>, contestant: &Case) -> Verdict {
    match outcome {
        ItemOutcome::Done { value, .. } => value,
        ItemOutcome::Skipped => Verdict::Skipped("it was not tried".into()),
        ItemOutcome::Lost(Loss { how: How::NotStarted(why), .. }) => {
            Verdict::Skipped(format!("no worker process could be started: {why}"))
        }
        ItemOutcome::Lost(Loss { how, .. }) if how.is_from_outside() => {
            Verdict::Skipped(format!("its worker process {}", how.words()))
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
