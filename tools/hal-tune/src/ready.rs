//! Executables with their current kernels, measured, and the search over all of them.
use crate::{
    budget::{Division, SearchBudget},
    candidate::KernelSource,
    incumbent::Incumbent,
    install::install,
    present::Untunable,
    report,
    subject::Subject,
    tune::{Tuner, Winner},
};
use halyard_cli::{Printer, Progress};
use halyard_diag::{Diagnostic, Result};

/// The subjects, in order of the time that a call spends in them.
pub(crate) struct Ready {
    pub(crate) subjects: Vec<(Subject, Incumbent)>,
    /// What cannot be tuned, and why.
    pub(crate) others: Vec<(String, String)>,
}

impl Ready {
    /// Makes and measures the current kernels. `others` cannot be tuned, for these reasons.
    pub(crate) fn new(
        tuner: &Tuner<'_>,
        found: Vec<Subject>,
        mut others: Vec<(String, String)>,
        printer: &Printer,
    ) -> Self {
        let mut subjects: Vec<(Subject, Incumbent)> = Vec::new();
        for subject in found {
            if tuner.interrupt.came() {
                break;
            }
            match tuner.incumbent(&subject) {
                Ok(incumbent) => subjects.push((subject, incumbent)),
                Err(Untunable { why, is_remarkable }) => {
                    let text = format!("@{} is not tuned: {why}", subject.name());
                    match is_remarkable {
                        true => printer.diagnostic(&Diagnostic::warning(text).code("cannot-measure")),
                        false => printer.verbose(text),
                    }
                    others.extend(subject.members.iter().map(|e| (e.name(), why.clone())));
                }
            }
        }
        subjects.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        if subjects.is_empty() {
            let nothing = Diagnostic::warning("no executable can be tuned").code("nothing-to-tune");
            let reasons = others.iter().take(3).map(|(name, why)| format!("@{name}: {why}"));
            let nothing = reasons.fold(nothing, Diagnostic::note);
            printer.diagnostic(&nothing.hint("`-v` says why, executable by executable"));
        }
        Self { subjects, others }
    }
}

/// Seconds of a call of the program.
pub(crate) fn weight((subject, incumbent): &(Subject, Incumbent)) -> f64 {
    subject.calls.max(1) as f64 * incumbent.seconds
}

/// Searches for all, and puts the winners into the program. Errors: trials cannot be written, a generator that fails.
pub(crate) fn tune_all(budget: SearchBudget, tuner: &mut Tuner<'_>, ready: Ready, printer: &Printer) -> Result<()> {
    let Ready { subjects, others } = ready;
    if subjects.is_empty() {
        return Ok(());
    }
    let weights: Vec<f64> = subjects.iter().map(weight).collect();
    let mut division = Division::new(budget, &weights);
    let progress = Progress::new(printer, "tuning", subjects.len());
    let (mut before, mut after, mut faster) = (0.0, 0.0, 0);
    for ((subject, incumbent), weight) in subjects.iter().zip(&weights) {
        // What is installed takes the place of the executable, whose operation is gone then.
        let name = subject.name();
        let step = progress.start(&name);
        let tuned = tuner.tune(subject, incumbent, division.next(*weight))?;
        drop(step);
        division.used(tuned.tried);
        let ratio = tuned.winner.as_ref().map_or(1.0, |w| w.judgement.ratio);
        before += weight;
        after += weight * ratio;
        tuned.warnings.iter().for_each(|w| printer.diagnostic(w));
        for (file, why) in &tuned.known {
            printer.note(format!("`{file}` for `@{name}` is not measured again: {why}"));
        }
        for (file, code, why) in &tuned.refused {
            let code = if code == "not-built" { "not-built" } else { "rejected" };
            printer.diagnostic(&Diagnostic::warning(format!("`{file}` for `@{name}`: {why}")).code(code));
        }
        if let Some(winner) = &tuned.winner {
            faster += 1;
            tuner.install(subject, winner)?;
        }
        printer.note(report::line(&name, incumbent.seconds, &tuned));
    }
    drop(progress);
    printer.note(report::summary(before, after, faster, subjects.len()));
    if !others.is_empty() {
        printer.note(format!("{} executables were not tuned; `-v` says why", others.len()));
    }
    if tuner.interrupt.came() {
        printer.note("interrupted: these are the winners so far");
    }
    Ok(())
}

impl Tuner<'_> {
    /// Puts a winner into the program, in the place of all executables that are alike. Errors: it does not fit.
    pub(crate) fn install(&self, subject: &Subject, winner: &Winner) -> Result<()> {
        match &winner.source {
            KernelSource::File(file, _) => {
                let names: Vec<String> = subject.members.iter().map(|e| e.name()).collect();
                let put = |name: &String| self.files.put(&self.builder, self.program, name, (file, winner.workgroups));
                names.iter().try_for_each(put)
            }
            KernelSource::Script(scripted) => self.put_scripted(subject, scripted),
            KernelSource::Schedule(_) => install(self.builder.session, subject, &self.target, &winner.schedules),
        }
    }
}
