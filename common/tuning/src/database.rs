//! Opening a database.
use crate::{
    failure::{PATIENCE, begin, failed},
    schema::{self, FileState},
};
use halyard_diag::{Error, Result, may_exist};
use rusqlite::{Connection, OpenFlags, Transaction, config::DbConfig};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// A tuning database. Each thread opens its own; all of them see the changes of all.
pub struct Database {
    pub(crate) connection: Connection,
    path: PathBuf,
}

impl Database {
    /// Opens a database for reading and writing; a missing or empty file becomes one. Errors: the file cannot be written, is no
    /// tuning database, is damaged, or of a newer version.
    pub fn open(path: &Path) -> Result<Self> {
        if !may_exist(path) {
            // As a whole: what is interrupted leaves nothing.
            let mut new = Self::in_memory(path)?;
            let image = new.connection.serialize("main").map_err(|e| failed(path, "create", &e))?;
            let shown = format!("cannot create the tuning database `{}`", path.display());
            halyard_cli::create_atomically(path, &image).map_err(|e| Error::system(&shown, &e))?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut opened = Self::with_flags(path, flags, "open")?;
        if schema::inspect(&opened.connection, path)? == FileState::Empty {
            schema::create(&mut opened.connection, path)?;
        }
        Ok(opened)
    }

    /// An empty database in memory, which messages call `path`.
    pub(crate) fn in_memory(path: &Path) -> Result<Self> {
        let mut connection = Connection::open_in_memory().map_err(|e| failed(path, "read", &e))?;
        schema::create(&mut connection, path)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// A connection to a file.
    pub(crate) fn with_flags(path: &Path, flags: OpenFlags, verb: &str) -> Result<Self> {
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
