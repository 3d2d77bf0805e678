//! Trials: recording and reading them.
use crate::{DamagedRow, Database, Subject, Trial, digest, row};
use halyard_diag::Result;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

impl Database {
    /// Records a trial, over an earlier one of the same candidate. On return it is on disk. Errors: the file cannot be written.
    pub fn record(&mut self, trial: &Trial) -> Result<()> {
        put(&self.connection, trial).map_err(|e| self.failed("write to", &e))
    }

    /// The result of a candidate; `None` if it was not tried yet, or its record is damaged. Errors: the file cannot be
    /// read.
    pub fn trial(&self, subject: &Subject, kind: &str, candidate: &[u8]) -> Result<Option<Trial>> {
        let found = by_id(&self.connection, &digest::trial_id(subject, kind, candidate));
        found.map(|trial| trial.and_then(Result::ok)).map_err(|e| self.failed("read", &e))
    }

    /// The trials of a subject, sorted by kind and candidate. Damaged ones are left out: they count as not tried, and
    /// [`Database::check`] lists them. Errors: the file cannot be read.
    pub fn trials(&self, subject: &Subject) -> Result<Vec<Trial>> {
        let Subject { key, target, machine } = subject;
        let condition = "WHERE key = ? AND target = ? AND machine = ? ORDER BY kind, candidate";
        let sql = format!("SELECT {} FROM trial {condition}", row::TRIAL);
        let read = || -> rusqlite::Result<Vec<Result<Trial, DamagedRow>>> {
            self.connection.prepare(&sql)?.query_map(params![key, target, machine], |r| Ok(row::trial(r)))?.collect()
        };
        Ok(read().map_err(|e| self.failed("read", &e))?.into_iter().flatten().collect())
    }

    /// All trials, sorted by subject, kind and candidate, damaged ones in their places. Errors: the file cannot be read.
    pub fn all_trials(&self) -> Result<Vec<Result<Trial, DamagedRow>>> {
        let sql = format!("SELECT {} FROM trial ORDER BY key, target, machine, kind, candidate", row::TRIAL);
        let read = || -> rusqlite::Result<Vec<_>> {
            self.connection.prepare(&sql)?.query_map([], |r| Ok(row::trial(r)))?.collect()
        };
        read().map_err(|e| self.failed("read", &e))
    }
}

/// The trial of an identity.
pub(crate) fn by_id(connection: &Connection, id: &str) -> rusqlite::Result<Option<Result<Trial, DamagedRow>>> {
    let sql = format!("SELECT {} FROM trial WHERE id = ?", row::TRIAL);
    connection.prepare(&sql)?.query_row(params![id], |r| Ok(row::trial(r))).optional()
}

/// Writes a trial over the one of the same candidate.
pub(crate) fn put(connection: &Connection, trial: &Trial) -> rusqlite::Result<()> {
    let sql = format!("INSERT OR REPLACE INTO trial ({}) VALUES ({})", row::TRIAL, row::marks(row::TRIAL));
    connection.prepare(&sql)?.execute(params_from_iter(row::trial_values(trial))).map(drop)
}
