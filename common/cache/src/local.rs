//! The store of a machine: one SQLite file.
mod kinds;

pub use kinds::KindStatistics;

use crate::CacheKey;
use halyard_diag::{Diagnostic, Error, Result, may_exist, read_error};
use rusqlite::{Connection, OpenFlags, OptionalExtension, config::DbConfig, params};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(5);
/// `PRAGMA application_id`: "HalC".
const APPLICATION: i32 = 0x4861_6c43;
/// `PRAGMA user_version`: changes with the tables.
const VERSION: i32 = 1;
/// Uses of an entry within this time count as one: a hit seldom writes.
const SAME_USE: i64 = 3600;
/// A store that is too large is brought down to this part of its bound, so that not each addition removes something.
const AFTER_REMOVAL: f64 = 0.9;
/// The entries of sources that begin with some hex digits, all of which come before `g`: a range of the index, because each
/// executable that is missing asks, and a cache may hold very many.
const BY_SOURCE: &str = "SELECT key, source, parts, size, used FROM entry
    WHERE source >= ?1 AND source < ?1 || 'g' ORDER BY used DESC, key";
/// The bound of the sizes of all entries, in bytes, where nobody says otherwise.
pub(crate) const BOUND: u64 = 2 << 30;

/// The cache. Each thread opens its own; all of them see the entries of all.
pub struct ObjectCache {
    connection: Connection,
    path: PathBuf,
    bound: u64,
}

/// The description of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedEntry {
    /// The hash of its key.
    pub key: String,
    /// The hash of its executable.
    pub source: String,
    /// Everything else that its code depends on: [`CacheKey::text`].
    pub parts: String,
    /// The bytes of its content.
    pub size: u64,
    /// When it was last used, in seconds since 1970.
    pub used: i64,
}

/// The sum of all entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheStatistics {
    /// How many there are.
    pub entries: u64,
    /// The bytes of their contents.
    pub bytes: u64,
    /// The bound of that.
    pub bound: u64,
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() as i64)
}

impl ObjectCache {
    /// Opens a cache; a missing file is made, with its folder. Errors: it cannot be written, is no cache, is damaged, or of a
    /// newer version.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|e| Error::io("make the folder", folder, &e))?;
        }
        if !may_exist(path) {
            make(path)?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|e| failed(path, &e))?;
        let opened = Self { connection, path: path.to_owned(), bound: BOUND };
        opened.prepare().map_err(|e| failed(path, &e))?;
        let number = |name: &str| opened.connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        match (number("application_id"), number("user_version")) {
            (Ok(APPLICATION), Ok(VERSION)) => Ok(opened),
            (Ok(APPLICATION), Ok(_)) => Err(wrong(path, "is of another version of Halyard")),
            (Ok(_), Ok(_)) => Err(wrong(path, "is no cache")),
            (Err(e), _) | (_, Err(e)) => Err(failed(path, &e)),
        }
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        let c = &self.connection;
        c.busy_timeout(PATIENCE)?;
        // What the file says of itself is not run: it may come from anywhere.
        c.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        c.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        c.pragma_update(None, "cell_size_check", true)?;
        c.pragma_update(None, "synchronous", "NORMAL")
    }

    /// Bounds the sizes of all entries, in bytes.
    #[must_use]
    pub fn bounded(self, bound: u64) -> Self {
        Self { bound, ..self }
    }

    /// The content of an entry; `None` if there is none, or if it is damaged: then it is removed. Errors: the file cannot be read.
    pub fn get(&self, key: &CacheKey) -> Result<Option<Vec<u8>>> {
        let hash = key.hash();
        let found =
            self.connection.query_row("SELECT checksum, used, content FROM entry WHERE key = ?", [&hash], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?))
            });
        let Some((checksum, used, content)) = found.optional().map_err(|e| self.failed(&e))? else { return Ok(None) };
        if checksum != checksum_of(&hash, &content) {
            self.connection.execute("DELETE FROM entry WHERE key = ?", [&hash]).map_err(|e| self.failed(&e))?;
            return Ok(None);
        }
        let now = now();
        if now.saturating_sub(used) > SAME_USE {
            // Who cannot write can still read.
            let _ = self.connection.execute("UPDATE entry SET used = ? WHERE key = ?", params![now, hash]);
        }
        Ok(Some(content))
    }

    /// Adds entries, all or none of them; what is there already stays. Then the least recently used ones go, if the cache is
    /// too large. Errors: the file cannot be written.
    pub fn add(&mut self, entries: &[(CacheKey, Vec<u8>)]) -> Result<()> {
        let (path, bound) = (self.path.clone(), self.bound);
        let added = (|| {
            let change = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let mut insert = change.prepare("INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)")?;
            for (key, content) in entries {
                let hash = key.hash();
                insert.execute(params![
                    hash,
                    key.source(),
                    key.text(),
                    checksum_of(&hash, content),
                    content.len() as i64,
                    now(),
                    content
                ])?;
            }
            drop(insert);
            let total: i64 = change.query_row("SELECT ifnull(sum(size), 0) FROM entry", [], |row| row.get(0))?;
            if total as u64 > bound {
                remove(&change, (bound as f64 * AFTER_REMOVAL) as u64)?;
            }
            change.commit()
        })();
        added.map_err(|e| failed(&path, &e))
    }

    /// Removes the least recently used entries until the others take `bytes` at most, and gives the room back. Returns how many
    /// went. Errors: the file cannot be written.
    pub fn prune(&mut self, bytes: u64) -> Result<u64> {
        let path = self.path.clone();
        let pruned = (|| {
            let change = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let removed = remove(&change, bytes)?;
            change.commit()?;
            self.connection.execute_batch("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")?;
            Ok(removed)
        })();
        pruned.map_err(|e| failed(&path, &e))
    }

    /// The sum of all entries. Errors: the file cannot be read.
    pub fn statistics(&self) -> Result<CacheStatistics> {
        let sum = self.connection.query_row("SELECT count(*), ifnull(sum(size), 0) FROM entry", [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        });
        let (entries, bytes) = sum.map_err(|e| self.failed(&e))?;
        Ok(CacheStatistics { entries: entries as u64, bytes: bytes as u64, bound: self.bound })
    }

    /// Checks the file and the checksum of each entry; damaged entries go. Returns their keys. Errors: the file is damaged as a
    /// whole.
    pub fn verify(&mut self) -> Result<Vec<String>> {
        let path = self.path.clone();
        let checked = (|| {
            let sound: String = self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
            let mut damaged = Vec::new();
            let mut all = self.connection.prepare("SELECT key, checksum, content FROM entry")?;
            let mut rows = all.query([])?;
            while let Some(row) = rows.next()? {
                let (key, checksum, content): (String, Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
                if checksum != checksum_of(&key, &content) {
                    damaged.push(key);
                }
            }
            Ok((sound, damaged))
        })();
        let (sound, damaged) = checked.map_err(|e| failed(&path, &e))?;
        if sound != "ok" {
            return Err(unusable(&path, "is damaged").note(sound));
        }
        for key in &damaged {
            self.connection.execute("DELETE FROM entry WHERE key = ?", [key]).map_err(|e| self.failed(&e))?;
        }
        Ok(damaged)
    }

    /// The entries of the executables whose source's hash begins with some hex digits, however they were translated, the last
    /// used first. Errors: the file cannot be read.
    pub fn entries(&self, source: &str) -> Result<Vec<CachedEntry>> {
        let entries: rusqlite::Result<Vec<_>> = (|| {
            let mut all = self.connection.prepare(BY_SOURCE)?;
            let entry = |row: &rusqlite::Row<'_>| {
                let size: i64 = row.get(3)?;
                Ok(CachedEntry {
                    key: row.get(0)?,
                    source: row.get(1)?,
                    parts: row.get(2)?,
                    size: size as u64,
                    used: row.get(4)?,
                })
            };
            all.query_map([source], entry)?.collect()
        })();
        entries.map_err(|e| self.failed(&e))
    }

    fn failed(&self, error: &rusqlite::Error) -> Error {
        failed(&self.path, error)
    }
}

/// Makes an empty cache in memory and writes it as a whole, so that nobody sees half of one, and none is left; one that somebody
/// else has made in the meantime stays. Errors: it cannot be written.
fn make(path: &Path) -> Result<()> {
    let image = image().map_err(|e| failed(path, &e))?;
    halyard_cli::create_atomically(path, &image).map(|_| ()).map_err(|e| Error::io("make", path, &e).code("bad-cache"))
}

/// The bytes of an empty cache.
fn image() -> rusqlite::Result<Vec<u8>> {
    /// Where the header says by which version of the format the file is written and read (SQLite's "Database File Format",
    /// 1.3.3), and the value of files with a write-ahead log.
    const FORMAT: (std::ops::RangeInclusive<usize>, u8) = (18..=19, 2);
    let mut c = Connection::open_in_memory()?;
    c.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    c.execute_batch(&format!(
        "CREATE TABLE entry (
           key TEXT PRIMARY KEY, source TEXT NOT NULL, parts TEXT NOT NULL, checksum BLOB NOT NULL,
           size INTEGER NOT NULL, used INTEGER NOT NULL, content BLOB NOT NULL) WITHOUT ROWID;
         CREATE INDEX by_source ON entry (source);
         CREATE INDEX by_use ON entry (used, size);
         PRAGMA application_id = {APPLICATION};
         PRAGMA user_version = {VERSION};"
    ))?;
    let mut image = c.serialize("main")?.to_vec();
    // Readers go on while somebody writes. An entry that is lost with the power is made again.
    image[FORMAT.0].fill(FORMAT.1);
    Ok(image)
}

/// Removes the least recently used entries until the others take `bytes` at most.
fn remove(connection: &Connection, bytes: u64) -> rusqlite::Result<u64> {
    let removed = connection.execute(
        "DELETE FROM entry WHERE key IN (SELECT key FROM
           (SELECT key, sum(size) OVER (ORDER BY used DESC, key) AS total FROM entry) WHERE total > ?)",
        [i64::try_from(bytes).unwrap_or(i64::MAX)],
    )?;
    Ok(removed as u64)
}

/// Of the key, too: the content of another entry is damage.
fn checksum_of(key: &str, content: &[u8]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key.as_bytes()).update(content);
    hasher.finalize().as_bytes().to_vec()
}

fn wrong(path: &Path, what: &str) -> Error {
    let hint = "remove it, and it will be made again; `--cache=FOLDER` names another one";
    Error::from(Diagnostic::error(format!("`{}` {what}", path.display())).code("bad-cache").hint(hint))
}

/// The error of a file that is damaged, or that the disk does not give.
fn unusable(path: &Path, what: &str) -> Error {
    match read_error(path) {
        Some(cause) => Error::io("read the cache", path, &cause)
            .code("bad-cache")
            .hint("`--cache=FOLDER` names another place, `--cache=off` does without"),
        None => wrong(path, what),
    }
}

fn failed(path: &Path, error: &rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
            unusable(path, "is damaged, or no cache").note(error.to_string())
        }
        Some(rusqlite::ErrorCode::DiskFull) => {
            Error::environment(format!("cannot use the cache `{}`: {error}", path.display()))
                .code("bad-cache")
                .hint("make room; `--cache=FOLDER` names another place, `--cache=off` does without")
        }
        _ => Error::environment(format!("cannot use the cache `{}`: {error}", path.display()))
            .code("bad-cache")
            .hint("`--cache=FOLDER` names another place, `--cache=off` does without"),
    }
}

impl fmt::Debug for ObjectCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectCache").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
