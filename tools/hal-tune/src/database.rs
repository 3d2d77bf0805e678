//! The tuning database from the command line: listing, checking, merging, exporting, pruning.
use crate::{TuneArgs, prune::PruneCondition};
use halyard_cli::{Printer, write_output};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Session,
    form::{content_key, load_program},
};
use halyard_tuning::{DamagedRow, Database, Merged, Prune, TrialOutcome};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// What to do with the database instead of tuning.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(id = "database", multiple = false)]
pub struct DatabaseArgs {
    /// Print the winners of --tuning and the number of its trials
    #[arg(long, help_heading = "Tuning database")]
    pub list: bool,
    /// Check --tuning for damage
    #[arg(long, help_heading = "Tuning database")]
    pub check: bool,
    /// Add the entries of FILE, a database or JSON lines, to --tuning; repeatable
    ///
    /// Of two winners for the same kernel, target and machine, the one whose interval of the speedup begins higher stays.
    #[arg(long, value_name = "FILE", help_heading = "Tuning database")]
    pub merge: Vec<PathBuf>,
    /// Write all entries of --tuning to FILE as JSON lines; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Tuning database")]
    pub export: Option<PathBuf>,
    /// Write the winners of --tuning to FILE as JSON lines, without trials: all that compilations need
    #[arg(long, value_name = "FILE", help_heading = "Tuning database")]
    pub export_winners: Option<PathBuf>,
    /// Remove entries of --tuning: machine=NAME, target=NAME, version=V, other-versions=V, key=KEY, unused=PROGRAM, trials; repeatable
    ///
    /// Entries that meet all conditions are removed. `unused=PROGRAM` are those of executables that PROGRAM does not have; given several
    /// times, those that none of them has. `trials` keeps winners.
    #[arg(long, value_name = "WHICH", help_heading = "Tuning database")]
    pub prune: Vec<PruneCondition>,
}

impl DatabaseArgs {
    /// Whether one of them is given.
    pub(crate) fn are_given(&self) -> bool {
        let files = [&self.export, &self.export_winners].into_iter().flatten().count() + self.merge.len();
        self.list || self.check || files + self.prune.len() > 0
    }
}

/// Does what is asked for. Errors: no database, a file that is none, damage, a file that cannot be written.
pub(crate) fn manage(args: &TuneArgs, printer: &Printer) -> Result<()> {
    let what = &args.database;
    let path = args.tuning.as_deref().filter(|p| !p.as_os_str().is_empty()).ok_or_else(|| {
        Error::usage("no tuning database is named").hint("name it with `--tuning=FILE`, or in `HALYARD_TUNING`")
    })?;
    if args.output.output.as_os_str() != "-" {
        return Err(Error::usage("`--output` has no effect: no program is tuned")
            .hint("`--export=FILE` writes the entries of a database"));
    }
    if !what.merge.is_empty() {
        return merge(path, &what.merge, printer);
    }
    if !what.prune.is_empty() {
        return prune(path, &what.prune, printer);
    }
    let database = Database::read_only(path)?;
    if let Some(to) = &what.export {
        return export(&database, to, false, printer);
    }
    if let Some(to) = &what.export_winners {
        return export(&database, to, true, printer);
    }
    if what.list {
        return printer.stdout(&listed(&database, printer)?);
    }
    let found = database.check()?;
    if found.is_empty() {
        printer.note(format!("`{}` is sound", path.display()));
        return Ok(());
    }
    let parts = if found.len() == 1 { "1 part is".to_owned() } else { format!("{} parts are", found.len()) };
    let error =
        Error::input(format!("the tuning database `{}` is damaged: {parts} not what was written", path.display()));
    let error = found.iter().take(20).fold(error.code("bad-tuning"), |error, line| error.note(line.clone()));
    Err(error.hint("`hal-tune --merge` copies the undamaged entries into a new database"))
}

/// Opens a database for writing. JSON lines are not changed.
fn writable(path: &Path) -> Result<Database> {
    let is_lines = std::fs::read(path).is_ok_and(|bytes| bytes.first() == Some(&b'{'));
    if is_lines {
        return Err(Error::usage(format!(
            "`{}` is a file of JSON lines, which `hal-tune` does not modify",
            path.display()
        ))
        .hint("`hal-tune --tuning=tuning.db --merge=FILE` makes a database of them"));
    }
    Database::open(path)
}

fn merge(path: &Path, others: &[PathBuf], printer: &Printer) -> Result<()> {
    // All are opened before one is taken over.
    let sources = others.iter().map(|other| Database::read_only(other)).collect::<Result<Vec<_>>>()?;
    let mut database = writable(path)?;
    for source in sources {
        let Merged { winners, trials, kept, damaged } = database.merge(&source)?;
        let from = source.path().display();
        printer.note(format!(
            "took {} and {} from `{from}`; {kept} were as good here",
            count(winners, "winner"),
            count(trials, "trial")
        ));
        warn(&damaged, &from.to_string(), printer);
    }
    Ok(())
}

fn export(database: &Database, to: &Path, winners_only: bool, printer: &Printer) -> Result<()> {
    let mut text = Vec::new();
    let name = to.display().to_string();
    let damaged = match winners_only {
        true => database.export_winners(&mut text, &name, &|_| true)?,
        false => database.export(&mut text, &name)?,
    };
    write_output(to, &text)?;
    warn(&damaged, &database.path().display().to_string(), printer);
    Ok(())
}

/// Says which entries are left out.
fn warn(damaged: &[DamagedRow], file: &str, printer: &Printer) {
    for row in damaged {
        printer.diagnostic(&Diagnostic::warning(format!("left out of `{file}`: {row}")).code("bad-tuning"));
    }
}

fn prune(path: &Path, conditions: &[PruneCondition], printer: &Printer) -> Result<()> {
    let mut what = Prune::default();
    for condition in conditions {
        let twice = |old: Option<String>| match old {
            Some(_) => Err(Error::usage(format!("`--prune={condition}`: there is a condition of that kind already"))
                .hint("entries must meet all conditions; run the tool once for each")),
            None => Ok(()),
        };
        match condition {
            PruneCondition::Machine(name) => twice(what.machine.replace(name.clone()))?,
            PruneCondition::Target(name) => twice(what.target.replace(name.clone()))?,
            PruneCondition::Version(v) => twice(what.version.replace(v.clone()))?,
            PruneCondition::OtherVersions(v) => twice(what.version_not.replace(v.clone()))?,
            PruneCondition::Key(key) => twice(what.key.replace(key.clone()))?,
            PruneCondition::Unused(program) => what.keys_not.get_or_insert_default().extend(keys(program)?),
            PruneCondition::Trials => what.trials_only = true,
        }
    }
    if !path.exists() {
        // Opening would make one.
        Database::read_only(path)?;
    }
    let removed = writable(path)?.prune(&what)?;
    printer.note(format!("removed {} and {}", count(removed.winners, "winner"), count(removed.trials, "trial")));
    Ok(())
}

/// The content keys of a program's executables.
fn keys(program: &Path) -> Result<BTreeSet<String>> {
    let bytes = std::fs::read(program).map_err(|e| Error::io("read", program, &e))?;
    let (_module, program) = load_program(Session::until_exit(), &bytes, &program.display().to_string())?;
    Ok(program.executables().into_iter().map(content_key).collect())
}

fn listed(database: &Database, printer: &Printer) -> Result<String> {
    let mut text = format!("hash {}\n", database.hash()?);
    let mut damaged = Vec::new();
    let mut winners = 0;
    for winner in database.winners()? {
        match winner {
            Ok(w) => {
                winners += 1;
                text += &format!(
                    "{}  {:.3} ({:.3} to {:.3}) times as fast, {} of {}, version {}{}\n  {}\n  {}\n",
                    w.subject.key,
                    w.ratio.value(),
                    w.ratio.low(),
                    w.ratio.high(),
                    w.code.kind(),
                    count(w.trials as usize, "trial"),
                    w.version,
                    if w.origin.is_empty() { String::new() } else { format!(", {}", w.origin) },
                    w.subject.machine,
                    w.subject.target,
                );
            }
            Err(row) => damaged.push(row),
        }
    }
    let (mut measured, mut rejected) = (0, 0);
    for trial in database.all_trials()? {
        match trial.map(|t| t.outcome) {
            Ok(TrialOutcome::Measured { .. }) => measured += 1,
            Ok(TrialOutcome::Rejected(_)) => rejected += 1,
            Err(row) => damaged.push(row),
        }
    }
    warn(&damaged, &database.path().display().to_string(), printer);
    text += &format!(
        "{}; {}: {measured} measured, {rejected} rejected\n",
        count(winners, "winner"),
        count(measured + rejected, "trial")
    );
    Ok(text)
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
