//! Looking for damage.
use crate::Database;
use halyard_diag::Result;

impl Database {
    /// The defects of the file and its entries, a line each; empty if there are none. Errors: the file cannot be read.
    pub fn check(&self) -> Result<Vec<String>> {
        let integrity = || -> rusqlite::Result<Vec<String>> {
            self.connection.prepare("PRAGMA integrity_check")?.query_map([], |row| row.get(0))?.collect()
        };
        let mut found = integrity().map_err(|e| self.failed("read", &e))?;
        found.retain(|line| line != "ok");
        found.extend(self.winners()?.into_iter().filter_map(|w| Some(w.err()?.to_string())));
        found.extend(self.all_trials()?.into_iter().filter_map(|t| Some(format!("a trial: {}", t.err()?))));
        Ok(found)
    }
}
