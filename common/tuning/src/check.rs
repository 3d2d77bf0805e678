//! Looking for damage.
use crate::{DamagedRow, Database};
use halyard_diag::{Error, Result, read_error};

impl Database {
    /// The defects of the file and its entries, a line each; empty if there are none. Errors: the file cannot be read.
    pub fn check(&self) -> Result<Vec<String>> {
        let mut found = self.check_file()?;
        let (winners, trials) = self.damaged_rows()?;
        found.extend(winners.iter().map(ToString::to_string));
        found.extend(trials.iter().map(|row| format!("a trial: {row}")));
        Ok(found)
    }

    /// The defects of the file beyond those of entries, as SQLite describes them. Errors: as [`Database::check`].
    pub fn check_file(&self) -> Result<Vec<String>> {
        let integrity = || -> rusqlite::Result<Vec<String>> {
            self.connection.prepare("PRAGMA integrity_check")?.query_map([], |row| row.get(0))?.collect()
        };
        let mut found = integrity().map_err(|e| self.failed("read", &e))?;
        found.retain(|line| line != "ok");
        match read_error(self.path()).filter(|_| !found.is_empty()) {
            Some(cause) => Err(Error::io("read the tuning database", self.path(), &cause)),
            None => Ok(found),
        }
    }

    /// The winners and the trials that are not what was written. Errors: as [`Database::check`].
    pub fn damaged_rows(&self) -> Result<(Vec<DamagedRow>, Vec<DamagedRow>)> {
        let winners = self.winners()?.into_iter().filter_map(Result::err).collect();
        let trials = self.all_trials()?.into_iter().filter_map(Result::err).collect();
        Ok((winners, trials))
    }
}
