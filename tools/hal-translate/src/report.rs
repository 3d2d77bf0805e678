//! The report of a translation: `--explain`, and the times of [`crate::times`].
use crate::{
    Explain,
    job::{Done, Times},
    remote::SentJob,
    schedule::SentSchedule,
    target::Target,
    tuning::Tuned,
    workers::WorkerOutput,
};
use halyard_diag::Diagnostic;
use halyard_ir::names;
use serde_json::{Value, json};
use std::fmt::Write;

/// The results for each executable and target, in order.
#[derive(Debug, Default)]
pub struct TranslationReport {
    entries: Vec<Entry>,
    said: String,
    warnings: Vec<Diagnostic>,
    details: Vec<String>,
    verified: Vec<Diagnostic>,
    tuned: Vec<Diagnostic>,
    winners: String,
    /// Variants of the tuning database: executable and variant.
    variants: Vec<(String, String)>,
    sent: Vec<SentJob>,
}

/// The results for an executable and a target.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) executable: String,
    /// The target's name in messages: `cpu:znver5`.
    pub(crate) target: String,
    explanations: Vec<(String, String)>,
    /// The schedule of each export, if its kernel has one.
    schedules: Vec<Option<SentSchedule>>,
    needs: Vec<String>,
    pub(crate) times: Times,
    /// Whether it comes from the cache.
    pub(crate) cached: bool,
    /// The machine that translated it, if that is not this one.
    pub(crate) host: Option<String>,
    /// Why it does not, where there is a cache.
    missed: Option<String>,
    /// The size of the code in bytes.
    pub(crate) size: usize,
}

impl TranslationReport {
    pub(crate) fn add(&mut self, target: &Target, done: &Done) {
        self.entries.push(Entry {
            executable: done.member.name.clone(),
            target: target.short(),
            explanations: done.member.exports.iter().cloned().zip(done.explanations.iter().cloned()).collect(),
            schedules: done.schedules.clone(),
            needs: done.needs.clone(),
            times: done.times,
            cached: done.cached,
            host: done.host.clone(),
            missed: done.missed.clone(),
            size: done.code.len(),
        });
    }

    pub(crate) fn add_output(&mut self, output: WorkerOutput) {
        self.said += &output.text;
        self.details.extend(output.details);
        self.sent.extend(output.sent);
        // Equal texts for several targets are printed once.
        for warning in output.losses.into_iter().chain(output.warnings) {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Returns warnings about exports: plain loops, and loops that are not workgroups.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns the output of LLVM and MLIR on standard error, under the names of executables; usually empty.
    pub fn tool_output(&self) -> &str {
        &self.said
    }

    pub(crate) fn add_verified(&mut self, notes: Vec<Diagnostic>) {
        self.verified.extend(notes);
    }

    pub(crate) fn add_tuned(&mut self, tuned: Option<&Tuned>) {
        self.tuned.extend(tuned.into_iter().flat_map(Tuned::notes));
        self.winners.extend(tuned.map(Tuned::explain));
        self.variants.extend(tuned.into_iter().flat_map(Tuned::variants));
    }

    /// Returns notes on the tuning database: which executables use it, and which entries could not be used.
    pub fn tuned(&self) -> &[Diagnostic] {
        &self.tuned
    }

    /// Whether a variant is the tuning database's, and was not made from the source of its executable.
    pub(crate) fn is_tuned(&self, executable: &str, variant: &str) -> bool {
        self.variants.iter().any(|(e, v)| e == executable && v == variant)
    }

    /// Returns the notes of `--verify`, one for each kernel.
    pub fn verified(&self) -> &[Diagnostic] {
        &self.verified
    }

    /// The jobs that were sent to other machines, in the order in which they ended, as `--time-json` has them.
    pub fn launches_json(&self) -> Value {
        self.sent.iter().map(SentJob::json).collect()
    }

    /// Returns the number of executables that were translated, counted once per target.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// What only `-v` says.
    pub fn details(&self) -> &[String] {
        &self.details
    }

    /// How many of them come from the cache.
    pub fn cached(&self) -> usize {
        self.entries.iter().filter(|e| e.cached).count()
    }

    /// Whether nothing was translated.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns an explanation in the requested form.
    pub fn explain(&self, what: Explain) -> String {
        match what {
            Explain::Translation => self.explain_translation(),
            Explain::Schedule => self.explain_schedules(),
            Explain::ScheduleSpace => self.explain_space(),
        }
    }

    /// The schedule of each export and target, to be put on the export.
    fn explain_schedules(&self) -> String {
        let mut text = String::new();
        for (e, export, schedule) in self.schedules() {
            let _ = match schedule {
                Some(schedule) => writeln!(
                    text,
                    "@{}::@{export} for {}:\n  {} = {}",
                    e.executable,
                    e.target,
                    names::SCHEDULE,
                    schedule.text
                ),
                None => writeln!(text, "@{}::@{export} for {}: no schedule", e.executable, e.target),
            };
        }
        text
    }

    /// Prints the schedules as JSON with all legal values: a line for each export and target.
    fn explain_space(&self) -> String {
        self.schedules().map(|(e, export, schedule)| format!("{}\n", space(e, export, schedule.as_ref()))).collect()
    }

    /// The schedule of each export and target, with all that is legal.
    pub fn schedules_json(&self) -> Value {
        let kernels: Vec<Value> = self.schedules().map(|(e, export, s)| space(e, export, s.as_ref())).collect();
        json!({ "version": 1, "kernels": kernels })
    }

    fn schedules(&self) -> impl Iterator<Item = (&Entry, &String, &Option<SentSchedule>)> {
        self.entries
            .iter()
            .flat_map(|e| e.explanations.iter().zip(&e.schedules).map(move |((export, _), s)| (e, export, s)))
    }

    /// Describes how each export was translated, and the symbols that its object imports.
    fn explain_translation(&self) -> String {
        let mut text = String::new();
        for e in &self.entries {
            for (export, why) in &e.explanations {
                let _ = writeln!(text, "@{}::@{export} for {}: {why}", e.executable, e.target);
            }
            let cache = if e.cached { Some("from the cache") } else { e.missed.as_deref() };
            if let Some(cache) = cache {
                let _ = writeln!(text, "@{} for {}: {cache}", e.executable, e.target);
            }
            if !e.needs.is_empty() {
                let _ = writeln!(text, "@{} for {}: needs {}", e.executable, e.target, e.needs.join(", "));
            }
        }
        text + &self.winners
    }

    /// Returns the entries, one for each executable and target, in order.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

fn space(entry: &Entry, export: &str, schedule: Option<&SentSchedule>) -> Value {
    let nests = schedule.and_then(|s| serde_json::from_str(&s.space).ok()).unwrap_or(Value::Null);
    json!({ "executable": entry.executable, "export": export, "target": entry.target, "nests": nests })
}
