//! Opening a database for reading.
use crate::{
    Database,
    failure::failed,
    lines,
    schema::{self, FileState},
};
use halyard_diag::{Error, Result};
use rusqlite::{ErrorCode, OpenFlags};
use std::path::Path;

impl Database {
    /// Opens a database for reading: its file, or JSON lines that [`Database::export`] wrote, which are read into memory. Errors:
    /// there is none; as for [`Database::open`] and [`Database::import`].
    pub fn read_only(path: &Path) -> Result<Self> {
        if let Err(error) = std::fs::metadata(path) {
            let error = Error::io("read the tuning database", path, &error).code("cannot-read");
            return Err(error.hint("`hal-tune` creates it"));
        }
        if let Some(mut lines) = lines::open(path)? {
            let mut database = Self::in_memory(path)?;
            database.import(&mut lines, &path.display().to_string())?;
            return Ok(database);
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
}
