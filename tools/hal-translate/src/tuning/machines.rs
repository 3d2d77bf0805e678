//! Selects the machines whose winners are used.
use super::{Tuning, args::ANY};
use crate::target::Target;
use halyard_diag::{Diagnostic, Error, Result, Severity, nearest};
use halyard_ir::form::Executable;
use halyard_tuning::{DamagedRow, Subject, Winner, WinnerSnapshot, machine};
use std::collections::{BTreeMap, BTreeSet};

/// Errors: a machine is named that the database does not know.
pub(super) fn check_machine(tuning: &Tuning, snapshot: &WinnerSnapshot) -> Result<()> {
    let Some(name) = tuning.machine.as_deref().filter(|name| *name != ANY) else { return Ok(()) };
    if snapshot.machines().contains(name) {
        return Ok(());
    }
    let what = format!("tuning database `{}` has no winner of machine `{name}`", tuning.path.display());
    let known: Vec<String> = snapshot.machines().iter().map(|m| format!("`{m}`")).collect();
    let error = Error::usage(what).code("unknown-name");
    let error = if known.is_empty() { error } else { error.note(format!("it has some of {}", known.join(", "))) };
    let near = nearest(name, snapshot.machines().iter().map(String::as_str));
    Err(match near.first() {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`--tuning-machine=any` uses the winners of all"),
    })
}

/// The machines whose winners are used, by kind of device.
pub(super) struct Machines {
    asked: Option<String>,
    found: BTreeMap<&'static str, Option<String>>,
}

impl Machines {
    /// Selects the machines that the flag names; `None` for this machine.
    pub(super) fn new(asked: Option<String>) -> Self {
        Self { asked, found: BTreeMap::new() }
    }

    /// The winner of an executable for a target; `target_text` is as databases name it.
    pub(super) fn choose<'s>(
        &mut self,
        snapshot: &'s WinnerSnapshot,
        key: &str,
        target_text: &str,
        target: &Target,
    ) -> Option<&'s Result<Winner, DamagedRow>> {
        let machine = match self.asked.as_deref() {
            Some(ANY) => {
                let whole = snapshot.on_any_machine(key, target_text).filter(|w| w.is_ok());
                let low = |w: &Result<Winner, DamagedRow>| w.as_ref().map_or(0.0, |w| w.ratio.low());
                // The first of those that are equal, by name.
                let best = whole.reduce(|best, w| if low(w) > low(best) { w } else { best });
                return best.or_else(|| snapshot.on_any_machine(key, target_text).next());
            }
            Some(name) => name.to_owned(),
            None => self.found.entry(target.device()).or_insert_with(|| machine(target.device())).clone()?,
        };
        let subject = Subject { key: key.to_owned(), target: target_text.to_owned(), machine };
        snapshot.get(&subject)
    }
}

/// Winners that were measured on other machines.
#[derive(Default)]
pub(super) struct Elsewhere {
    executables: BTreeSet<String>,
    machines: BTreeSet<String>,
}

impl Elsewhere {
    /// Sees the winners of an executable that has none of the right machine.
    pub(super) fn see<'w>(
        &mut self,
        executable: &Executable,
        winners: impl Iterator<Item = &'w Result<Winner, DamagedRow>>,
    ) {
        for winner in winners.flatten() {
            self.executables.insert(executable.name());
            self.machines.insert(winner.subject.machine.clone());
        }
    }

    /// Returns a note if executables have winners on other machines only.
    pub(super) fn note(&self, database: &str) -> Option<Diagnostic> {
        let first = self.machines.first()?;
        let n = self.executables.len();
        let plural = if n == 1 { "" } else { "s" };
        let machines: Vec<String> = self.machines.iter().map(|m| format!("`{m}`")).collect();
        let text =
            format!("tuning database `{database}` has winners for {n} executable{plural} on other machines only");
        let note = Diagnostic::new(Severity::Note, text).code("tuned");
        Some(
            note.note(format!("they are from {}", machines.join(", ")))
                .hint(format!("`--tuning-machine='{first}'` uses them")),
        )
    }
}
