//! Removing what is of no use any more.
use crate::Database;
use halyard_diag::{Error, Result};
use rusqlite::types::Value;
use std::collections::BTreeSet;

/// Which entries to remove: those that meet all conditions that are given.
#[derive(Debug, Clone, Default)]
pub struct Prune {
    /// Of this machine.
    pub machine: Option<String>,
    /// For this target.
    pub target: Option<String>,
    /// Of this version of the tool.
    pub version: Option<String>,
    /// Of any version of the tool but this.
    pub version_not: Option<String>,
    /// Of the executable with this content key.
    pub key: Option<String>,
    /// Of executables with other content keys than these: those of programs that are still in use.
    pub keys_not: Option<BTreeSet<String>>,
    /// Keep winners, whatever the conditions.
    pub trials_only: bool,
}

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Winners.
    pub winners: usize,
    /// Trials.
    pub trials: usize,
}

impl Database {
    /// Removes winners and trials, and gives the space back. Errors: no condition is given, unless only trials go; the file
    /// cannot be written.
    pub fn prune(&mut self, what: &Prune) -> Result<Pruned> {
        let mut conditions: Vec<String> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        let columns = [
            ("key = ?", &what.key),
            ("machine = ?", &what.machine),
            ("target = ?", &what.target),
            ("version = ?", &what.version),
        ];
        let given = columns.into_iter().chain([("version <> ?", &what.version_not)]);
        for (condition, value) in given.filter_map(|(c, v)| Some((c, v.as_ref()?))) {
            conditions.push(condition.to_owned());
            values.push(Value::Text(value.clone()));
        }
        if let Some(keys) = &what.keys_not {
            conditions.push("key NOT IN (SELECT key FROM temp.kept)".into());
            self.keep(keys)?;
        }
        if conditions.is_empty() && !what.trials_only {
            return Err(Error::usage("nothing says which entries to remove from the tuning database")
                .hint("name a machine, a target, a version, a key or a program, or delete the file"));
        }
        let condition =
            if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
        let change = self.change()?;
        let remove = |table: &str| {
            change.execute(&format!("DELETE FROM {table}{condition}"), rusqlite::params_from_iter(&values))
        };
        let removed = || -> rusqlite::Result<Pruned> {
            let trials = remove("trial")?;
            let winners = if what.trials_only { 0 } else { remove("winner")? };
            Ok(Pruned { winners, trials })
        };
        let done = removed().and_then(|pruned| change.commit().map(|()| pruned));
        let pruned = done.map_err(|e| self.failed("write to", &e))?;
        self.connection.execute_batch("VACUUM").map_err(|e| self.failed("write to", &e))?;
        Ok(pruned)
    }

    /// Puts keys into a table of this connection alone.
    fn keep(&self, keys: &BTreeSet<String>) -> Result<()> {
        let fill = || -> rusqlite::Result<()> {
            self.connection.execute_batch(
                "DROP TABLE IF EXISTS temp.kept; CREATE TEMP TABLE kept (key TEXT PRIMARY KEY NOT NULL)",
            )?;
            let mut insert = self.connection.prepare("INSERT INTO temp.kept VALUES (?)")?;
            keys.iter().try_for_each(|key| insert.execute([key]).map(drop))
        };
        fill().map_err(|e| self.failed("prune", &e))
    }
}
