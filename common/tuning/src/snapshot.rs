//! The winners that a compilation uses: read once, so that they do not change meanwhile.
use crate::{DamagedRow, Database, Subject, Winner, row, winners};
use halyard_diag::Result;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The winners of some executables at one moment, and the hash of the database then.
#[derive(Debug)]
pub struct WinnerSnapshot {
    hash: String,
    winners: BTreeMap<Subject, Result<Winner, DamagedRow>>,
    machines: BTreeSet<String>,
}

impl WinnerSnapshot {
    /// Reads the winners of executables with these content keys. Writers are not kept waiting afterwards. Errors: as
    /// [`Database::read_only`].
    pub fn read(path: &Path, keys: &BTreeSet<String>) -> Result<Self> {
        let mut database = Database::read_only(path)?;
        let read = |connection: &mut rusqlite::Connection| -> rusqlite::Result<Self> {
            let moment = connection.transaction()?;
            let hash = winners::hash(&moment)?;
            let sql = format!("SELECT {} FROM winner WHERE key = ?", row::WINNER);
            let mut statement = moment.prepare(&sql)?;
            let mut found = BTreeMap::new();
            for key in keys {
                for winner in statement.query_map([key], |r| Ok(row::winner(r)))? {
                    let winner = winner?;
                    let subject = winner.as_ref().map_or_else(|d| d.subject.clone(), |w| w.subject.clone());
                    found.insert(subject, winner);
                }
            }
            let mut all = moment.prepare("SELECT DISTINCT machine FROM winner")?;
            let machines = all.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok(Self { hash, winners: found, machines })
        };
        let done = read(&mut database.connection);
        done.map_err(|e| database.failed("read", &e))
    }

    /// The hash of the database, see [`Database::hash`].
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// All machines that winners of the database are of.
    pub fn machines(&self) -> &BTreeSet<String> {
        &self.machines
    }

    /// The winner of a subject.
    pub fn get(&self, subject: &Subject) -> Option<&Result<Winner, DamagedRow>> {
        self.winners.get(subject)
    }

    /// All winners of an executable for a target, on whatever machines, sorted by these.
    pub fn on_any_machine(&self, key: &str, target: &str) -> impl Iterator<Item = &Result<Winner, DamagedRow>> {
        let fits = move |subject: &Subject| subject.key == key && subject.target == target;
        self.winners.iter().filter(move |(subject, _)| fits(subject)).map(|(_, winner)| winner)
    }
}
