//! Kernels beside the plain lowering of their sources: each runs on random inputs, and what it computes is compared with what
//! upstream's passes make of the source ([`reference`]), element by element, in ulp.
//!
//! A [`Case`] is a variant with objects and the source that it is to agree with. Cases run in worker processes
//! ([`verify`]): [`worker`] builds the reference and loads the objects as they are ([`jit`]), [`trial`] chooses sizes
//! ([`sizes`]) and numbers, runs both, and compares ([`compare`]) with what the source allows ([`tolerance`]). Buffers lie
//! between unreadable pages ([`memory`]), so that a kernel that leaves them is caught and named ([`fault`]).

mod arena;
mod args;
mod calls;
mod compare;
mod contest;
mod copy;
mod device_export;
mod device_kernel;
mod element;
mod fault;
mod indices;
mod jit;
mod kernel;
mod machine;
mod memory;
mod npy;
mod random;
mod reference;
mod report;
mod reproducer;
mod reproducer_folder;
mod samples;
mod sizes;
mod tolerance;
mod trial;
mod worker;

pub use args::VerifyArgs;
pub use contest::{Contest, ContestOptions, ContestPlace, ContestTimes, Effort, HotSpot, Verdict};
pub use halyard_runtime::TESTED_FEATURES;
pub use report::VerifyReport;
pub use reproducer::KernelReproducer;
pub use reproducer_folder::ReproducerFolder;
pub use tolerance::InexactKernels;

use halyard_diag::{Error, ErrorKind, Result, WireError};
use halyard_exec::{How, ItemOutcome, Limits, Slots, isolated};
use halyard_ir::{
    Op, Session,
    form::{Executable, Variant},
};
use serde::{Deserialize, Serialize};
use std::{num::NonZeroUsize, time::Duration};

/// How long an executable may take, unless something else is asked for.
const TIME: Duration = Duration::from_secs(120);

/// A variant and what it is to agree with.
#[derive(Debug, Clone)]
pub struct Case {
    /// The executable that holds the variant.
    pub executable: Executable,
    /// What is verified; it has objects.
    pub variant: Variant,
    /// The module with the exports on tensors.
    pub source: Op,
    /// Whether the tool made the code itself, and can do so again.
    pub made: bool,
    /// Executables whose code is the same.
    pub alike: Vec<String>,
}

/// How to verify.
#[derive(Debug, Clone)]
pub struct VerifyOptions {
    /// Runs of each kernel.
    pub runs: u32,
    /// Whether kernels may trade exactness for speed.
    pub fast: InexactKernels,
    /// Workers at once: what `-j` said.
    pub jobs: Option<NonZeroUsize>,
    /// How long an executable may take.
    pub time: Option<Duration>,
}

/// What came of an export.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) export: String,
    pub(crate) state: State,
}

/// Whether a kernel agrees with its source.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum State {
    Agrees {
        runs: u32,
        largest: f64,
        tolerance: f64,
        compared: u64,
        elements: u64,
    },
    Differs(Box<Difference>),
    /// It was not verified: why.
    Skipped(String),
}

/// How a kernel differs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Difference {
    pub(crate) sizes: String,
    pub(crate) result: usize,
    pub(crate) element: Vec<i64>,
    pub(crate) got: String,
    pub(crate) wanted: String,
    pub(crate) ulp: f64,
    pub(crate) tolerance: f64,
    pub(crate) count: u64,
    pub(crate) arrays: Vec<Array>,
}

/// A tensor of a run that went wrong.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) dtype: String,
    pub(crate) shape: Vec<i64>,
    pub(crate) bytes: Vec<u8>,
}

/// The cases of executables: each variant with objects, and the source beside it. Those without a source have nothing to agree
/// with, and none.
pub fn cases(executables: &[Executable]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &executable in executables {
        let with_source = executable.exports().iter().any(|e| e.op.body().is_some());
        for variant in executable.variants().into_iter().filter(|_| with_source) {
            cases.push(Case { executable, variant, source: executable.op, made: false, alike: Vec::new() });
        }
    }
    cases
}

/// Verifies cases in worker processes. What agrees, and what could not be verified, is in the report. Errors: all that
/// differ, crash or take too long, each with a reproducer.
pub fn verify(
    session: &Session,
    cases: &[Case],
    options: &VerifyOptions,
    reproducer: &mut KernelReproducer<'_>,
) -> Result<VerifyReport> {
    let limits = Limits {
        slots: Slots::new(options.jobs),
        time: Some(options.time.unwrap_or(TIME)),
        memory: None,
        keep_going: true,
        retry_killed: false,
    };
    let sources = session.sources();
    let mut worker = None;
    let outcomes = isolated(cases.len(), &limits, |i| {
        let worker = worker.get_or_insert_with(|| worker::Worker::new(session, options));
        worker.run(&cases[i]).map_err(|error| WireError::new(error, &sources))
    });
    let mut report = VerifyReport::default();
    let mut failed: Option<Error> = None;
    let mut fail = |error: Error| match &mut failed {
        None => failed = Some(error),
        Some(first) => {
            first.kind = ErrorKind::max(first.kind, error.kind);
            first.diagnostics.extend(error.diagnostics);
        }
    };
    for (case, outcome) in cases.iter().zip(outcomes) {
        let place = place(case);
        let at = |error: Error| error.at(session.span(case.executable.op));
        match outcome {
            ItemOutcome::Done { value: Ok(findings), .. } => {
                for finding in findings {
                    match finding.state {
                        State::Differs(difference) => {
                            let error = report::difference(&place, &finding.export, &difference, &case.alike);
                            fail(reproducer.save(case, &difference.arrays, at(error)));
                        }
                        state => report.add(&place, &finding.export, state, case.alike.len()),
                    }
                }
            }
            ItemOutcome::Done { value: Err(wire), .. } => {
                let error = wire.into_error(&sources);
                fail(reproducer.save(case, &[], at(report::named(&place, error))));
            }
            ItemOutcome::Lost(loss) => match report::lost(case, &place, &loss) {
                Ok(error) => {
                    let started = !matches!(loss.how, How::NotStarted(_));
                    fail(if started { reproducer.save(case, &[], at(error)) } else { error });
                }
                // The reference could not be computed; nothing is known of the kernel.
                Err(why) => report.add(&place, "", State::Skipped(why), case.alike.len()),
            },
            ItemOutcome::Skipped => {}
        }
    }
    failed.map_or(Ok(report), Err)
}

/// What messages call a case.
fn place(case: &Case) -> String {
    let target = case.variant.target().and_then(halyard_targets::Target::of_attr);
    let target = target.map_or_else(|| format!("variant `@{}`", case.variant.name()), |t| format!("`{}`", t.short()));
    format!("executable `@{}` for {target}", case.executable.name())
}
