//! The tables of a database, and how a file is recognised as one.
use halyard_diag::{Error, Result};
use rusqlite::Connection;
use std::path::Path;

/// In the header of the file: `HalT`. The command `file` and SQLite's own tools show it.
pub(crate) const APPLICATION_ID: i32 = 0x4861_6c54;
/// In the header of the file: the version of the tables.
pub(crate) const VERSION: i32 = 1;

/// The tables. A `checksum` is over all that the row says; a `content_hash` over kind and content, for the hash of the database.
const TABLES: [(&str, &str); 2] = [
    (
        "trial",
        "CREATE TABLE trial (
            id TEXT PRIMARY KEY NOT NULL,
            key TEXT NOT NULL, target TEXT NOT NULL, machine TEXT NOT NULL,
            kind TEXT NOT NULL, candidate ANY NOT NULL,
            rejected TEXT,
            time_ns REAL, time_low REAL, time_high REAL,
            ratio REAL, ratio_low REAL, ratio_high REAL,
            details TEXT NOT NULL, version TEXT NOT NULL, checksum TEXT NOT NULL
        ) STRICT",
    ),
    (
        "winner",
        "CREATE TABLE winner (
            key TEXT NOT NULL, target TEXT NOT NULL, machine TEXT NOT NULL,
            kind TEXT NOT NULL, content ANY NOT NULL, content_hash TEXT NOT NULL,
            ratio REAL NOT NULL, ratio_low REAL NOT NULL, ratio_high REAL NOT NULL,
            trials INTEGER NOT NULL, version TEXT NOT NULL, origin TEXT NOT NULL, checksum TEXT NOT NULL,
            PRIMARY KEY (key, target, machine)
        ) STRICT",
    ),
];
/// Finds the trials of a subject.
const INDEX: (&str, &str) = ("trial_of_subject", "CREATE INDEX trial_of_subject ON trial (key, target, machine)");

/// The kind of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileState {
    /// Without any content: a new database.
    Empty,
    /// A database of this version.
    Current,
}

/// Looks at a file. Errors: another program's database, one of a newer version, other tables.
pub(crate) fn inspect(connection: &Connection, path: &Path) -> Result<FileState> {
    let sql = |e: rusqlite::Error| crate::failure::failed(path, "read", &e);
    // All that is read is of one moment: another process may be making the tables.
    connection.execute_batch("SAVEPOINT inspect").map_err(sql)?;
    let state = look(connection, path);
    let released = connection.execute_batch("RELEASE inspect").map_err(sql);
    // An error of the disk ends the savepoint, too: what was found before says why.
    let state = state?;
    released.map(|()| state)
}

fn look(connection: &Connection, path: &Path) -> Result<FileState> {
    let sql = |e: rusqlite::Error| crate::failure::failed(path, "read", &e);
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(sql);
    let (id, version) = (number("application_id")?, number("user_version")?);
    let mut found: Vec<(String, String)> = connection
        .prepare("SELECT name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        .and_then(|mut s| s.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .map_err(sql)?;
    found.sort();
    if id == 0 && version == 0 && found.is_empty() {
        return Ok(FileState::Empty);
    }
    let shown = path.display();
    if id != APPLICATION_ID {
        return Err(Error::input(format!("`{shown}` is a SQLite database, but not a tuning database"))
            .code("bad-tuning")
            .hint("name another file; `hal-tune` creates it"));
    }
    if version > VERSION {
        let what = format!("tuning database `{shown}` has version {version}, these tools read version {VERSION}");
        return Err(Error::input(what).code("wrong-version").hint("use tools of the release that wrote it"));
    }
    let expected: Vec<(String, String)> = {
        let mut all = TABLES.to_vec();
        all.push(INDEX);
        all.sort_unstable();
        all.into_iter().map(|(name, sql)| (name.to_owned(), sql.to_owned())).collect()
    };
    if version != VERSION || found != expected {
        return Err(Error::input(format!("tuning database `{shown}` does not have the tables of version {VERSION}"))
            .code("bad-tuning")
            .note("something else changed it")
            .hint("restore a copy, or delete the file and tune again"));
    }
    Ok(FileState::Current)
}

/// Makes the tables, unless another process was faster.
pub(crate) fn create(connection: &mut Connection, path: &Path) -> Result<()> {
    let transaction = crate::failure::begin(connection, path)?;
    if inspect(&transaction, path)? == FileState::Empty {
        let all: String = TABLES.iter().chain([&INDEX]).map(|(_, sql)| format!("{sql};\n")).collect();
        let header = format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};");
        transaction.execute_batch(&(all + &header)).map_err(|e| crate::failure::failed(path, "create", &e))?;
    }
    transaction.commit().map_err(|e| crate::failure::failed(path, "create", &e))
}
