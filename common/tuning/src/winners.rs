//! Winners: reading and replacing them.
use crate::{DamagedRow, Database, Subject, Winner, digest::Digest, row};
use halyard_diag::{Error, Result};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

impl Database {
    /// The winner of a subject. Errors: the file cannot be read; the entry is damaged.
    pub fn best(&self, subject: &Subject) -> Result<Option<Winner>> {
        let found = best(&self.connection, subject).map_err(|e| self.failed("read", &e))?;
        found.transpose().map_err(|damaged| self.damaged(&damaged))
    }

    /// All winners, sorted by subject, damaged ones in their places. Errors: the file cannot be read.
    pub fn winners(&self) -> Result<Vec<Result<Winner, DamagedRow>>> {
        let sql = format!("SELECT {} FROM winner ORDER BY key, target, machine", row::WINNER);
        let read = || -> rusqlite::Result<Vec<_>> {
            self.connection.prepare(&sql)?.query_map([], |r| Ok(row::winner(r)))?.collect()
        };
        read().map_err(|e| self.failed("read", &e))
    }

    /// Makes an entry the winner of its subject, whatever was there. On return it is on disk. Errors: the file cannot be written.
    pub fn set_best(&mut self, winner: &Winner) -> Result<()> {
        let change = self.change()?;
        let done = put(&change, winner).and_then(|()| change.commit());
        done.map_err(|e| self.failed("write to", &e))
    }

    /// Makes an entry the winner of its subject if it is better than the one that is there: there is none, it is damaged or of
    /// another version of the tool, or the lower end of its ratio is lower. So the better one of two searches stays. Says whether
    /// it did. Errors: as [`Database::set_best`].
    pub fn offer(&mut self, winner: &Winner) -> Result<bool> {
        let change = self.change()?;
        let offer = || -> rusqlite::Result<bool> {
            let better = match best(&change, &winner.subject)? {
                Some(Ok(old)) => old.version != winner.version || winner.ratio.low() > old.ratio.low(),
                Some(Err(_)) | None => true,
            };
            if better {
                put(&change, winner)?;
            }
            change.commit()?;
            Ok(better)
        };
        offer().map_err(|e| self.failed("write to", &e))
    }

    /// Removes the winner of a subject; says whether there was one. Errors: as [`Database::set_best`].
    pub fn remove_best(&mut self, subject: &Subject) -> Result<bool> {
        let Subject { key, target, machine } = subject;
        let sql = "DELETE FROM winner WHERE key = ? AND target = ? AND machine = ?";
        let removed = self.connection.execute(sql, params![key, target, machine]);
        removed.map(|n| n > 0).map_err(|e| self.failed("write to", &e))
    }

    /// A hash (64 hex digits) of all that a compilation can take from the database: subjects, kinds and contents of winners.
    /// It depends on nothing else: not on trials, on what is known about winners, or on how the file came about.
    pub fn hash(&self) -> Result<String> {
        hash(&self.connection).map_err(|e| self.failed("read", &e))
    }

    pub(crate) fn damaged(&self, damaged: &DamagedRow) -> Error {
        Error::input(format!("tuning database `{}`: {damaged}", self.path().display()))
            .code("bad-tuning")
            .hint("delete the entry, or tune the program again")
    }
}

/// As [`Database::hash`].
pub(crate) fn hash(connection: &Connection) -> rusqlite::Result<String> {
    let mut statement =
        connection.prepare("SELECT key, target, machine, content_hash FROM winner ORDER BY key, target, machine")?;
    let mut rows = statement.query([])?;
    let mut digest = Digest::new("tuning database");
    while let Some(row) = rows.next()? {
        for i in 0..4 {
            digest = digest.add(row.get_ref(i)?.as_bytes_or_null()?.unwrap_or_default());
        }
    }
    Ok(digest.hex())
}

/// The winner of a subject.
pub(crate) fn best(connection: &Connection, subject: &Subject) -> rusqlite::Result<Option<Result<Winner, DamagedRow>>> {
    let Subject { key, target, machine } = subject;
    let sql = format!("SELECT {} FROM winner WHERE key = ? AND target = ? AND machine = ?", row::WINNER);
    connection.prepare(&sql)?.query_row(params![key, target, machine], |r| Ok(row::winner(r))).optional()
}

/// Writes a winner over the one that is there.
pub(crate) fn put(connection: &Connection, winner: &Winner) -> rusqlite::Result<()> {
    let sql = format!("INSERT OR REPLACE INTO winner ({}) VALUES ({})", row::WINNER, row::marks(row::WINNER));
    connection.prepare(&sql)?.execute(params_from_iter(row::winner_values(winner))).map(drop)
}
