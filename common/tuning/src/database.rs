//! Opening a database.
use crate::{
    lines,
    schema::{self, FileState},
};
use halyard_diag::{Error, Result};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, config::DbConfig};
use std::{
    fmt,
    io::BufRead,
    path::{Path, PathBuf},
    time::Duration,
};

/// How long a writer waits for others. A change takes milliseconds; this is for machines that are very busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tuning database. Each thread opens its own; all of them see the changes of all.
pub struct Database {
    pub(crate) connection: Connection,
    path: PathBuf,
}

impl Database {
    /// Opens a database for reading and writing; a missing or empty file becomes one. Errors: the file cannot be written, is no
    /// tuning database, is damaged, or of a newer version.
    pub fn open(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut opened = Self::with_flags(path, flags, "open")?;
        if schema::inspect(&opened.connection, path)? == FileState::Empty {
            schema::create(&mut opened.connection, path)?;
        }
        Ok(opened)
    }

    /// Opens a database for reading: its file, or JSON lines that [`Database::export`] wrote, which are read into memory. Errors:
    /// there is none; as for [`Database::open`] and [`Database::import`].
    pub fn read_only(path: &Path) -> Result<Self> {
        if let Err(error) = std::fs::metadata(path) {
            let error = Error::io("read the tuning database", path, &error).code("cannot-read");
            return Err(error.hint("`hal-tune` creates it"));
        }
        if let Some(lines) = lines::open(path)? {
            return Self::of_lines(path, lines);
        }
        let read = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Self::with_flags(path, read, "read")?;
        // A writer that was killed left a journal, which the next one to open the file for writing undoes.
        let looked = opened.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
        if looked.as_ref().is_err_and(|e| e.sqlite_error_code() == Some(ErrorCode::ReadOnly)) {
            let undo = Self::with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE, "recover")?;
            let looked = undo.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
            looked.map_err(|e| {
                failed(path, "recover", &e)
                    .note("a killed process left a journal beside it")
                    .hint("copy both to a folder that can be written to")
            })?;
        }
        match schema::inspect(&opened.connection, path)? {
            FileState::Current => Ok(opened),
            FileState::Empty => {
                let error = Error::input(format!("`{}` is empty, not a tuning database", path.display()));
                Err(error.code("bad-tuning").hint("`hal-tune` creates it"))
            }
        }
    }

    /// A database in memory.
    fn of_lines(path: &Path, mut lines: impl BufRead) -> Result<Self> {
        let error = |e: rusqlite::Error| failed(path, "read", &e);
        let mut connection = Connection::open_in_memory().map_err(error)?;
        schema::create(&mut connection, path)?;
        let mut database = Self { connection, path: path.to_owned() };
        database.import(&mut lines, &path.display().to_string())?;
        Ok(database)
    }

    fn with_flags(path: &Path, flags: OpenFlags, verb: &str) -> Result<Self> {
        let error = |e: rusqlite::Error| failed(path, verb, &e);
        let connection = Connection::open_with_flags(path, flags).map_err(error)?;
        connection.busy_timeout(PATIENCE).map_err(error)?;
        // What the file says of itself is not run: it may come from anywhere.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(error)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(error)?;
        connection.pragma_update(None, "cell_size_check", true).map_err(error)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// The file, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error of SQLite's.
    pub(crate) fn failed(&self, verb: &str, error: &rusqlite::Error) -> Error {
        failed(&self.path, verb, error)
    }

    /// Starts a change: nobody else writes until it ends.
    pub(crate) fn change(&mut self) -> Result<Transaction<'_>> {
        begin(&mut self.connection, &self.path)
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Starts a change of a database.
pub(crate) fn begin<'c>(connection: &'c mut Connection, path: &Path) -> Result<Transaction<'c>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(|e| failed(path, "write to", &e))
}

/// An error of SQLite's, in our words: ``cannot VERB the tuning database `PATH`: why``.
pub(crate) fn failed(path: &Path, verb: &str, error: &rusqlite::Error) -> Error {
    let shown = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => Error::input(format!("`{shown}` is not a tuning database"))
            .code("bad-tuning")
            .hint("name another file; `hal-tune` creates it"),
        Some(ErrorCode::DatabaseCorrupt) => Error::input(format!("the tuning database `{shown}` is damaged"))
            .code("bad-tuning")
            .note(why(error))
            .hint("restore a copy, or delete the file and tune again"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let what = format!(
                "cannot {verb} the tuning database `{shown}`: another process has been using it for {} s",
                PATIENCE.as_secs()
            );
            Error::environment(what).hint("wait for it, or end it")
        }
        _ => Error::environment(format!("cannot {verb} the tuning database `{shown}`: {}", why(error))),
    }
}

/// What SQLite says, without its own prefixes.
fn why(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    }
}
