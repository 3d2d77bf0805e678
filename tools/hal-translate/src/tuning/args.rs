//! Flags for tuning databases; the driver has them, too.
use halyard_diag::{Error, Result};
use halyard_tuning::Database;
use std::{env, ffi::OsString, path::PathBuf};

/// The variable that names a database where no flag does.
const VARIABLE: &str = "HALYARD_TUNING";
/// The machine name that selects all machines.
pub(super) const ANY: &str = "any";

/// Which tuning database is used, and for which machine.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TuningArgs {
    /// Use the winners of this tuning database [default: the one that HALYARD_TUNING names]
    ///
    /// For each executable that `hal-tune` measured for a target on this machine, its schedule or variant replaces the
    /// compiler's own choice, except where the program has a schedule. An entry that does not fit is reported and not
    /// used. FILE may also be a database that was exported as JSON lines. The output depends on the winners alone, not
    /// on how the file came about. `--tuning=` uses none.
    #[arg(long, value_name = "FILE")]
    pub tuning: Option<OsString>,
    /// Use winners that were measured on the machine NAME, as the database calls it, or on any [default: this machine]
    #[arg(long, value_name = "NAME|any")]
    pub tuning_machine: Option<String>,
}

/// A tuning database to use.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// The path of the database.
    pub path: PathBuf,
    /// The machine whose winners are used, or `any`; `None`: this machine.
    pub machine: Option<String>,
}

impl TuningArgs {
    /// Returns the tuning database that flags or the environment select. Fails if a machine is given without a
    /// database.
    pub fn tuning(&self) -> Result<Option<Tuning>> {
        let named = self.tuning.clone().or_else(|| env::var_os(VARIABLE));
        let path = named.filter(|path| !path.is_empty()).map(PathBuf::from);
        if let (None, Some(_)) = (&path, &self.tuning_machine) {
            return Err(Error::usage("`--tuning-machine` has no effect without a tuning database")
                .hint("name one with `--tuning=FILE`"));
        }
        Ok(path.map(|path| Tuning { path, machine: self.tuning_machine.clone() }))
    }

    /// The flags as they would be written.
    pub fn words(&self) -> Vec<String> {
        let database = self.tuning.iter().map(|path| format!("--tuning={}", path.to_string_lossy()));
        database.chain(self.tuning_machine.iter().map(|name| format!("--tuning-machine={name}"))).collect()
    }
}

impl Tuning {
    /// The winners that it has for this machine, or that which is asked for, as JSON lines: on any machine, these give the same
    /// code with `--tuning-machine=any`. Errors: the database cannot be read.
    pub fn pack(&self) -> Result<Vec<u8>> {
        let database = Database::read_only(&self.path)?;
        let machines: Option<Vec<String>> = match self.machine.as_deref() {
            Some(ANY) => None,
            Some(name) => Some(vec![name.to_owned()]),
            None => Some(halyard_tuning::machines()),
        };
        let mut lines = Vec::new();
        let wanted = |w: &halyard_tuning::Winner| machines.as_ref().is_none_or(|m| m.contains(&w.subject.machine));
        database.export_winners(&mut lines, "tuning.jsonl", &wanted)?;
        Ok(lines)
    }
}
