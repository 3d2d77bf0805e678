//! Runs jobs in worker processes; results are in the order of the jobs, for any number of workers.
use crate::worker::Worker;
use crate::{
    ContainmentArgs, FATAL, Translation, fault_injection,
    job::{Done, Job},
    llvm::Code,
    remote::{self, Remote, SentJob},
    reproducer::Reproducers,
    target::Target,
};
use halyard_diag::{Diagnostic, Error, Result, Severity, WireError};
use halyard_exec::{How, ItemOutcome, Limits, Loss, Slots, isolated_noting_slow};
use halyard_ir::Session;
use std::time::Duration;

/// Output besides the results.
#[derive(Debug, Default)]
pub(crate) struct WorkerOutput {
    /// The output of libraries on standard error.
    pub text: String,
    /// Warnings about exports, in the order of the jobs.
    pub warnings: Vec<Diagnostic>,
    /// What only `-v` says.
    pub details: Vec<String>,
    /// Jobs that were sent to other machines.
    pub sent: Vec<SentJob>,
    /// Warnings about those that were lost; they say nothing about executables.
    pub losses: Vec<Diagnostic>,
}

impl WorkerOutput {
    /// Whether there are no messages.
    pub(crate) fn is_silent(&self) -> bool {
        self.text.is_empty() && self.warnings.is_empty()
    }

    /// Appends later output.
    pub(crate) fn add(&mut self, later: Self) {
        self.text += &later.text;
        self.warnings.extend(later.warnings);
        self.details.extend(later.details);
        self.sent.extend(later.sent);
        self.losses.extend(later.losses);
    }
}

/// Runs jobs for targets in processes of their own. A job that fails does not stop the others; one that crashes, hangs or
/// needs too much memory does, unless `--keep-going` was given, and leaves a reproducer. The errors are in the places of
/// the results; what was said beside them comes second.
pub(crate) fn run(
    session: &Session,
    jobs: &[Job],
    targets: &[Target],
    translation: &Translation,
    code: Code,
) -> (Vec<Result<Vec<Done>>>, WorkerOutput) {
    if jobs.is_empty() {
        return (Vec::new(), WorkerOutput::default());
    }
    // Variants with code may be for targets that were not requested.
    if let Err(error) = translation.pipelines.read(session, targets) {
        return (vec![Err(error)], WorkerOutput::default());
    }
    let remote = match remote::run(session, jobs, targets, translation, code) {
        Ok(remote) => remote,
        Err(error) => return (vec![Err(error)], WorkerOutput::default()),
    };
    let Remote { done: elsewhere, sent, warning } = remote;
    let here: Vec<&Job> = jobs.iter().zip(&elsewhere).filter(|(_, done)| done.is_none()).map(|(job, _)| job).collect();
    let sources = session.sources();
    let mut outcomes = isolate(session, &here, targets, translation, code).into_iter();
    let skipped = outcomes.as_slice().iter().filter(|o| matches!(o, ItemOutcome::Skipped)).count();
    let mut reproducers = Reproducers::new(targets, translation);
    let mut results = Vec::new();
    let mut output = WorkerOutput { sent, losses: warning.into_iter().collect(), ..WorkerOutput::default() };
    for (job, elsewhere) in jobs.iter().zip(elsewhere) {
        if let Some((mut done, host)) = elsewhere {
            done.iter_mut().for_each(|done| done.host = Some(host.clone()));
            results.push(Ok(done));
            continue;
        }
        let outcome = outcomes.next().expect("what is not done elsewhere is done here");
        match outcome {
            ItemOutcome::Done { value, said } => {
                if !said.is_empty() {
                    output.text += &format!("{}:\n{}\n", job.place(targets), said.trim_end());
                }
                results.push(match value {
                    Ok((done, warnings)) => {
                        output.warnings.extend(warnings.into_error(&sources).diagnostics);
                        Ok(done)
                    }
                    Err(wire) => Err(wire.into_error(&sources)),
                });
            }
            ItemOutcome::Lost(loss) => {
                let error = lost(job, &loss, targets);
                let error = error.at(session.span(job.op));
                let is_bare = translation.containment.is_trial || matches!(loss.how, How::NotStarted(_));
                let error = if is_bare { error } else { reproducers.save(job, &loss, error) };
                let error = if skipped == 0 {
                    error
                } else {
                    error
                        .note(format!("{skipped} more were not translated"))
                        .hint("`--keep-going` translates the others after such a failure")
                };
                results.push(Err(error));
            }
            // The error that stopped the run is reported; this one adds nothing.
            ItemOutcome::Skipped => results.push(Ok(Vec::new())),
        }
    }
    (results, output)
}

/// The result of a job in a process of its own: executables and their warnings.
type Isolated = ItemOutcome<Result<(Vec<Done>, WireError), WireError>>;

/// Runs jobs on this machine.
fn isolate(
    session: &Session,
    jobs: &[&Job],
    targets: &[Target],
    translation: &Translation,
    code: Code,
) -> Vec<Isolated> {
    let containment = &translation.containment;
    let limits = Limits {
        slots: Slots::new(translation.jobs),
        time: containment.executable_timeout,
        memory: containment.executable_memory,
        keep_going: containment.keep_going,
        retry_killed: containment.is_trial,
    };
    let sources = session.sources();
    let mut worker = None;
    let work = |i: usize| {
        let result = match &worker {
            Some(worker) => Worker::run(worker, jobs[i], code),
            None => worker.insert(Worker::new(session, targets, translation)).run(jobs[i], code),
        };
        let mut done = result.map_err(|error| WireError::new(error, &sources))?;
        let warnings = done.iter_mut().flat_map(|d| std::mem::take(&mut d.warnings)).collect();
        Ok::<_, WireError>((done, WireError::new(Error::many(warnings), &sources)))
    };
    let slow = |i: usize, time: Duration| {
        if let Some(printer) = &translation.printer {
            printer.diagnostic(&slow_note(&jobs[i].place(targets), time, containment));
        }
    };
    isolated_noting_slow(jobs.len(), &limits, fault_injection::patience(), work, slow)
}

/// Tells that an executable has been translated for this time: without it, nobody knows which one holds up the others.
fn slow_note(place: &str, time: Duration, containment: &ContainmentArgs) -> Diagnostic {
    let seconds = time.as_secs_f64();
    let note = Diagnostic::new(Severity::Note, format!("still translating {place} after {seconds} s"));
    match containment.executable_timeout {
        Some(_) => note,
        None => {
            note.hint("`--executable-timeout=DURATION` ends a translation that takes too long, and saves a reproducer")
        }
    }
}

/// Runs jobs for another machine: a result for each that succeeds without a message.
pub(crate) fn quiet(session: &Session, jobs: &[Job], translation: &Translation, code: Code) -> Vec<Option<Vec<Done>>> {
    let jobs: Vec<&Job> = jobs.iter().collect();
    let sources = session.sources();
    let result = |outcome: Isolated| match outcome {
        ItemOutcome::Done { value: Ok((done, warnings)), said } if said.is_empty() => {
            warnings.into_error(&sources).diagnostics.is_empty().then_some(done)
        }
        _ => None,
    };
    isolate(session, &jobs, &translation.targets, translation, code).into_iter().map(result).collect()
}

fn lost(job: &Job, loss: &Loss, targets: &[Target]) -> Error {
    let place = job.place(targets);
    if let How::NotStarted(why) = &loss.how {
        return Error::environment(format!("{place}: no worker process could be started: {why}")).code("no-worker");
    }
    let reason = loss.said.lines().rev().find_map(|l| l.strip_prefix(FATAL));
    let what = match (&loss.how, reason) {
        (How::GaveUp, Some(reason)) => format!("LLVM failed: {reason}"),
        (how, _) => format!("the translation {}", how.words()),
    };
    let error = Error::tool(format!("{place}: {what}")).code("translation-crashed");
    let error = match job.members.len() - 1 {
        0 => error,
        1 => error.note(format!("so is `@{}`, which is the same", job.members[1].name)),
        more => error.note(format!("so are {more} more, which are the same: `@{}` …", job.members[1].name)),
    };
    match &loss.how {
        How::Signal(libc::SIGKILL) => {
            error.code("worker-killed").note("the system kills processes like this when it runs out of memory")
        }
        How::OutOfMemory(_) => error.hint("`--executable-memory=SIZE` sets the limit"),
        How::TooSlow(_) => error.hint("`--executable-timeout=DURATION` sets the limit"),
        _ => error,
    }
}
