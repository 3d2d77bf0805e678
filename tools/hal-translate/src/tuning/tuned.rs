//! Finds the executables that use a winner, and reports on them.
use super::{
    machines::{Elsewhere, Machines, check_machine},
    schedules, tuning_target, variant,
};
use crate::{
    Translation,
    job::{Job, Member},
    schedule::schedule_key,
    target::Target,
    variants::wanted,
};
use halyard_diag::{Diagnostic, Error, Result, Severity};
use halyard_ir::{
    Session,
    form::{Executable, content_key},
};
use halyard_tuning::{DamagedRow, Subject, TunedCode, Winner, WinnerSnapshot};
use std::collections::BTreeSet;

/// Executables in which winners were inserted.
pub(crate) struct Tuned {
    database: String,
    hash: String,
    /// The number of executables for which code is generated.
    executables: usize,
    taken: Vec<TakenWinner>,
    said: Vec<Diagnostic>,
}

/// A winner that was inserted.
struct TakenWinner {
    executable: Executable,
    target: Target,
    /// The variant that was added; `None` for schedules on exports.
    variant: Option<String>,
    winner: Winner,
}

impl Tuned {
    /// Inserts winners into executables for which code is still to be generated; `None` if no database is requested.
    /// Fails if it cannot be read, or does not know the machine.
    pub(crate) fn place(
        session: &Session,
        executables: &[Executable],
        translation: &Translation,
    ) -> Result<Option<Self>> {
        let Some(tuning) = &translation.tuning else { return Ok(None) };
        let has_source =
            |e: &&Executable| !e.exports().is_empty() && e.exports().iter().all(|export| export.op.body().is_some());
        let open: Vec<(Executable, String, Vec<usize>)> = executables
            .iter()
            .filter(has_source)
            .map(|&e| (e, content_key(e), wanted(session, e, translation)))
            .filter(|(_, _, targets)| !targets.is_empty())
            .collect();
        let keys: BTreeSet<String> = open.iter().map(|(_, key, _)| key.clone()).collect();
        let snapshot = WinnerSnapshot::read(&tuning.path, &keys)?;
        halyard_cli::depend_on(&tuning.path);
        check_machine(tuning, &snapshot)?;
        let mut tuned = Self {
            database: tuning.path.display().to_string(),
            hash: snapshot.hash().to_owned(),
            executables: open.len(),
            taken: Vec::new(),
            said: Vec::new(),
        };
        let mut elsewhere = Elsewhere::default();
        let mut machines = Machines::new(tuning.machine.clone());
        for (executable, key, targets) in open {
            for target in targets.into_iter().map(|t| &translation.targets[t]) {
                let text = tuning_target(target, translation.options);
                match machines.choose(&snapshot, &key, &text, target) {
                    Some(winner) => tuned.put(session, executable, target, winner, translation),
                    None => elsewhere.see(&executable, snapshot.on_any_machine(&key, &text)),
                }
            }
        }
        tuned.said.extend(elsewhere.note(&tuned.database));
        Ok(Some(tuned))
    }

    /// Inserts a winner into an executable, or reports why not.
    fn put(
        &mut self,
        session: &Session,
        executable: Executable,
        target: &Target,
        winner: &Result<Winner, DamagedRow>,
        translation: &Translation,
    ) {
        let place = place(executable, target);
        let winner = match winner {
            Ok(winner) => winner.clone(),
            Err(damaged) => return self.refuse(&place, &damaged.subject, &Error::input(damaged.reason.clone())),
        };
        if schedules::has_own(executable, target) {
            let text =
                format!("{place} keeps its `hal.schedule`, though tuning database `{}` has a winner", self.database);
            let note = Diagnostic::new(Severity::Note, text).code("tuned");
            return self.said.push(note.hint("remove the attribute to use the winner"));
        }
        let done = match &winner.code {
            TunedCode::Schedules(list) => {
                let other =
                    translation.targets.iter().find(|t| *t != target && schedule_key(t) == schedule_key(target));
                match other {
                    // A schedule names its target, without features.
                    Some(other) => {
                        Err(Error::input(format!("a schedule for `{target}` would also be one for `{other}`")))
                    }
                    None => schedules::set(session, executable, target, list).map(|()| None).map_err(Error::input),
                }
            }
            TunedCode::Variant(bytes) => variant::add(session, executable, target, bytes).map(Some),
        };
        match done {
            Ok(variant) => self.taken.push(TakenWinner { executable, target: target.clone(), variant, winner }),
            Err(why) => self.refuse(&place, &winner.subject, &why),
        }
    }

    fn refuse(&mut self, place: &str, subject: &Subject, why: &Error) {
        let mut reasons = why.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let first = reasons.next();
        let reason = first.map_or("it does not fit", |d| &d.message);
        // The translation names the executable or variant, too; one of several that are alike.
        let named = ["executable `@", "variant `@"].iter().any(|start| reason.starts_with(start));
        let reason = reason.split_once("`: ").filter(|_| named).map_or(reason, |(_, rest)| rest);
        let text = format!("the winner of {place} in tuning database `{}` cannot be used: {reason}", self.database);
        let mut warning = Diagnostic::warning(text).code("tuning-entry");
        warning.notes.extend(first.into_iter().flat_map(|d| d.notes.iter().cloned()));
        warning.notes.extend(reasons.map(|d| d.message.clone()));
        let Subject { key, machine, .. } = subject;
        let note = format!("its key is `{key}`, its machine `{machine}`; the compiler's own choice is used");
        self.said.push(warning.note(note).hint("`hal-tune` measures the executable again"));
    }

    /// The variants that were added: executable and variant.
    pub(crate) fn variants(&self) -> impl Iterator<Item = (String, String)> {
        self.taken.iter().filter_map(|t| Some((t.executable.name(), t.variant.clone()?)))
    }

    /// Removes a winner from which no code could be generated, for the executables of a job; returns the job without
    /// it. Returns `None` if the job has no winner.
    pub(super) fn give_up(&mut self, session: &Session, job: &Job, target: &Target, why: &Error) -> Option<Job> {
        let of = |t: &TakenWinner, member: &Member| {
            t.executable.name() == member.name && t.target == *target && t.variant == member.variant
        };
        // The program itself may say the same for one of several that are alike.
        if !job.members.iter().all(|member| self.taken.iter().any(|t| of(t, member))) {
            return None;
        }
        let mut members = Vec::new();
        for member in &job.members {
            let i = self.taken.iter().position(|t| of(t, member)).expect("it was looked for above");
            let TakenWinner { executable, variant, winner, .. } = self.taken.remove(i);
            match variant {
                None => schedules::unset(session, executable, target),
                Some(name) => {
                    executable.variants().into_iter().filter(|v| v.name() == name).for_each(|v| v.op.erase());
                }
            }
            self.refuse(&place(executable, target), &winner.subject, why);
            let exports = executable.exports().iter().map(|e| e.name()).collect();
            members.push((executable, Member { name: executable.name(), variant: None, exports }));
        }
        let op = members[0].0.op;
        Some(Job {
            members: members.into_iter().map(|(_, member)| member).collect(),
            op,
            target: job.target,
            text: None,
        })
    }

    /// The variant that an executable has from the database for a target, if so.
    pub(crate) fn variant_of(&self, executable: Executable, target: &Target) -> Option<&str> {
        let of = |t: &&TakenWinner| t.executable.op == executable.op && t.target == *target;
        self.taken.iter().find(of)?.variant.as_deref()
    }

    /// Returns warnings, and a note on how many executables use the database, if any does.
    pub(crate) fn notes(&self) -> Vec<Diagnostic> {
        let users: BTreeSet<String> = self.taken.iter().map(|t| t.executable.name()).collect();
        let mut notes = self.said.clone();
        if !users.is_empty() {
            let verb = if users.len() == 1 { "uses" } else { "use" };
            let (n, all, database) = (users.len(), self.executables, &self.database);
            let plural = if all == 1 { "" } else { "s" };
            let text = format!("{n} of {all} executable{plural} {verb} winners of tuning database `{database}`");
            let note = Diagnostic::new(Severity::Note, text).code("tuned");
            notes.push(note.note(format!("its hash is {}", self.hash)));
        }
        notes
    }

    /// A line for each executable and target that uses a winner.
    pub(crate) fn explain(&self) -> String {
        let line = |t: &TakenWinner| {
            let Winner { subject, ratio, trials, version, origin, .. } = &t.winner;
            let what = if t.variant.is_some() { "variant" } else { "schedule" };
            let from = if origin.is_empty() { String::new() } else { format!(", found for {origin}") };
            format!(
                "@{} for {}: {what} of the tuning database, {:.2} times as fast ({:.2} to {:.2}) on {}, {trials} trial{}, version {version}{from}\n",
                t.executable.name(),
                t.target.short(),
                ratio.value(),
                ratio.low(),
                ratio.high(),
                subject.machine,
                if *trials == 1 { "" } else { "s" },
            )
        };
        self.taken.iter().map(line).collect()
    }
}

fn place(executable: Executable, target: &Target) -> String {
    format!("executable `@{}` for `{}`", executable.name(), target.short())
}
