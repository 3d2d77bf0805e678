//! Translates the executables of a job from exports to objects, for all targets.
use crate::{
    clock::Clock,
    code_target::Task,
    codegen,
    job::{Done, Job, SentLaunch, Times, sent_packed},
    llvm::Code,
    lowered::Lowered,
};
use halyard_diag::Result;
use halyard_ir::{Attr, Block, Op, form};
use std::time::Duration;

/// Code of the executables of a job, in their order, and what is common to them.
pub(crate) struct Assembled {
    /// The object or text of each, the symbols that it needs from elsewhere, and the time spent on it alone.
    pub codes: Vec<(Vec<u8>, Vec<String>, Duration)>,
    /// The format of the object, as `hal.objects` has it.
    pub format: &'static str,
    /// For a GPU: the launch parameters of each export, in order.
    pub launches: Vec<SentLaunch>,
    /// For a GPU: the features that a device must have, as in `hal.features`.
    pub features: Vec<String>,
}

/// The suffix of files with what each stage of a pipeline changed.
pub(crate) const STAGES: &str = "stages.diff";

impl Assembled {
    /// A text in place of code, in which each executable's exports have their names.
    fn of_text(job: &Job, text: &str) -> Self {
        let renamed = |names: Vec<(String, String)>| {
            names.iter().fold(text.to_owned(), |text, (old, new)| text.replace(&format!("@{old}"), &format!("@{new}")))
        };
        let codes = names(job).map(|names| (renamed(names).into_bytes(), Vec::new(), Duration::ZERO)).collect();
        Self { codes, format: "text", launches: Vec::new(), features: Vec::new() }
    }
}

/// Translates the executables of a job: `lower` takes an export through the pipeline, `assemble` makes code of all of them.
pub(crate) fn translate<'s, D>(
    task: &Task<'_, 's>,
    mut lower: impl FnMut(Op) -> Result<Lowered<'s, D>>,
    assemble: impl FnOnce(&[Lowered<'s, D>], &mut Times) -> Result<Assembled>,
) -> Result<Vec<Done>> {
    let session = task.session;
    let counts = session.empty_module();
    let counts_body: Block = Op::from(&counts).body().expect("a module has a body");
    let mut times = Times::default();
    let mut exports = Vec::new();
    let mut warnings = Vec::new();
    let mut stages = String::new();
    for (i, export) in task.exports().into_iter().enumerate() {
        let mut lowered = lower(export)?;
        warnings.append(&mut lowered.warnings);
        // Named after their exports when they are read: what is alike but for names is the same.
        lowered.workgroups.set_attr("sym_name", Attr::string(session.raw(), &format!("count_{i}")));
        counts_body.append(lowered.workgroups);
        times.generate += lowered.generate;
        times.lower += lowered.lower;
        if let Some(history) = task.pipeline.history() {
            let name = export.symbol().unwrap_or_default();
            stages += &format!("=== export @{name}: {}\n{}", lowered.explanation, history.text());
        }
        exports.push(lowered);
    }
    codegen::normalize_counts(session, &counts)?;
    let workgroups = form::write(Op::from(&counts), true);
    let assembled = match task.code {
        Code::Stages => Assembled::of_text(task.job, &stages),
        _ => assemble(&exports, &mut times)?,
    };
    let done = task.job.members.iter().zip(assembled.codes).map(|(member, (code, needs, own))| {
        // The time for common work counts for the first one.
        let mut times = std::mem::take(&mut times);
        times.codegen += own;
        Done {
            member: member.clone(),
            code,
            format: assembled.format.to_owned(),
            launches: assembled.launches.clone(),
            features: assembled.features.clone(),
            workgroups: workgroups.clone(),
            explanations: exports.iter().map(|e| e.explanation.clone()).collect(),
            schedules: exports.iter().map(|e| e.schedule.clone()).collect(),
            packed: exports.iter().map(|e| sent_packed(&e.packed)).collect(),
            needs,
            // The exports of the first executable represent those of all equal ones.
            warnings: std::mem::take(&mut warnings),
            times,
            host: None,
            cached: false,
            missed: None,
        }
    });
    Ok(done.collect())
}

/// Returns for each executable of a job the renames of the first one's exports.
pub(crate) fn names(job: &Job) -> impl Iterator<Item = Vec<(String, String)>> + '_ {
    let first = &job.members[0].exports;
    job.members.iter().map(move |member| first.iter().cloned().zip(member.exports.iter().cloned()).collect())
}

/// Runs something, and says how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Clock::start();
    let result = work()?;
    Ok((result, start.elapsed()))
}
