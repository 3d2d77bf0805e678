//! Temporary folders: makes them, and removes those of dead processes.
//!
//! A folder holds a file that its process keeps locked while it lives (`flock`): the system releases the lock when the
//! process ends, for whatever reason. The first folder that a process makes removes those whose lock is free. A folder has
//! that file for as long as it has its name: before and afterwards it has a hidden one, under which nobody keeps anything, so
//! that it is removed at once if its process was killed in between. One with another name that holds no lock is not a scratch
//! folder, or was kept, and is left alone; if it is empty and old, an earlier version left it.
use crate::cleanup;
use halyard_diag::{Error, Result};
use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Once,
    time::{Duration, SystemTime},
};

/// The prefix of the names of all folders.
const PREFIX: &str = "halyard-";
/// The prefix while a folder is made or removed.
const HIDDEN: &str = ".halyard-";
/// How often a folder is made again that another process removes before it is locked.
const TRIES: usize = 100;
/// The file that is locked.
const LOCK: &str = ".in-use";
/// Its name before it is locked.
const LOCKING: &str = ".locking";
/// The age at which an empty folder with a name is surely nobody's.
const EMPTY: Duration = Duration::from_secs(60);
/// The most entries of the temporary folder that are scanned: other programs may have filled it.
const MOST: usize = 20_000;

/// A temporary folder below `TMPDIR`. It goes away when dropped or when a signal ends the process, unless kept; what
/// SIGKILL leaves, the next process sweeps.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    is_kept: bool,
    /// Holds the lock; `None` if files cannot be locked, and then no process removes the folder.
    lock: Option<File>,
}

impl Scratch {
    /// Makes a folder; `purpose` becomes part of its name. Errors: it cannot be made.
    pub fn new(purpose: &str) -> Result<Self> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| sweep(&std::env::temp_dir()));
        let mut made = make(purpose);
        for _ in 0..TRIES {
            // Another process took it for one of the dead before it was locked.
            let Err(e) = &made else { break };
            if e.kind() != io::ErrorKind::NotFound || !std::env::temp_dir().exists() {
                break;
            }
            made = make(purpose);
        }
        made.map_err(|e| {
            Error::io("make a folder in", std::env::temp_dir(), &e).hint("`TMPDIR` sets the folder for scratch files")
        })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Writes a file into the folder and returns its path. Errors: it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.path().join(name);
        fs::write(&path, bytes)
            .map_err(|e| Error::io("write", &path, &e).hint("`TMPDIR` sets the folder for scratch files"))?;
        Ok(path)
    }

    /// Keeps the folder, so that people can inspect it; returns its path.
    pub fn keep(mut self) -> PathBuf {
        self.is_kept = true;
        cleanup::remove_folder(&self.folder);
        let _ = fs::remove_file(self.folder.join(LOCK));
        self.folder.clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_kept {
            cleanup::remove_folder(&self.folder);
            // Its descriptor may be the only one that is left to read the folder by. Whoever sees the lock free does the same.
            self.lock = None;
            remove(&self.folder);
        }
    }
}

/// Makes a folder that is locked. Errors: the system's, among them that the folder is gone meanwhile.
fn make(purpose: &str) -> io::Result<Scratch> {
    let hidden = tempfile::Builder::new().prefix(HIDDEN).tempdir()?.keep();
    let name = hidden.file_name().and_then(|name| name.to_str()?.strip_prefix(HIDDEN)).unwrap_or_default();
    let folder = hidden.with_file_name(format!("{PREFIX}{purpose}-{name}"));
    cleanup::add_folder(&hidden);
    cleanup::add_folder(&folder);
    let made = lock(&hidden).and_then(|lock| fs::rename(&hidden, &folder).map(|()| lock));
    cleanup::remove_folder(&hidden);
    match made {
        Ok(lock) => Ok(Scratch { folder, is_kept: false, lock }),
        Err(e) => {
            cleanup::remove_folder(&folder);
            // By names alone: there may be no descriptor left to look into it by.
            [LOCK, LOCKING].iter().for_each(|name| drop(fs::remove_file(hidden.join(name))));
            let _ = fs::remove_dir(&hidden);
            Err(e)
        }
    }
}

/// The hidden name of a folder.
fn hidden(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!("{HIDDEN}{}", name.rsplit('-').next().unwrap_or_default()))
}

/// Removes a folder, its locked file last: whoever is killed in between leaves a folder that is swept.
pub(crate) fn remove(folder: &Path) {
    // All at once: one descriptor must do.
    let entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    for entry in entries.into_iter().filter(|e| e.file_name() != LOCK) {
        let path = entry.path();
        let _ =
            if entry.file_type().is_ok_and(|t| t.is_dir()) { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    let hidden = hidden(folder);
    let folder = if fs::rename(folder, &hidden).is_ok() { &hidden } else { folder };
    // Once more after an error, as of a network file system: the next process may need no folder, and sweeps nothing.
    if fs::remove_dir_all(folder).is_err() {
        let _ = fs::remove_dir_all(folder);
    }
}

/// Makes the locked file; `None` where files cannot be locked. It is named last, so that no process sees it unlocked while this
/// one lives. Errors: it cannot be made.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let name = folder.join(LOCKING);
    let file = File::create(&name)?;
    if file.try_lock().is_err() {
        fs::remove_file(&name)?;
        return Ok(None);
    }
    fs::rename(&name, folder.join(LOCK)).map(|()| Some(file))
}

/// Removes the folders of processes of ours that are gone.
fn sweep(top: &Path) {
    // SAFETY: a system call without arguments.
    let user = unsafe { libc::geteuid() };
    for entry in fs::read_dir(top).into_iter().flatten().take(MOST).flatten() {
        let name = entry.file_name();
        let (path, is_hidden) = (entry.path(), name.to_str().is_some_and(|n| n.starts_with(HIDDEN)));
        let is_ours = is_hidden || name.to_str().is_some_and(|n| n.starts_with(PREFIX));
        // Of the entry itself: a link to a folder is not a scratch folder.
        if !is_ours || !entry.metadata().is_ok_and(|m| m.is_dir() && m.uid() == user) {
            continue;
        }
        let lock =
            OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path.join(LOCK));
        match lock {
            Ok(lock) if lock.try_lock().is_ok() => remove(&path),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                sweep_empty(&path, if is_hidden { Duration::ZERO } else { EMPTY })
            }
            _ => {}
        }
    }
}

/// Removes a folder of some age that holds nothing, or the beginning of a lock.
fn sweep_empty(folder: &Path, age: Duration) {
    // The clock may have been wrong when it was made, or be wrong now.
    let away = |at: SystemTime| at.elapsed().unwrap_or_else(|e| e.duration());
    let is_old = fs::metadata(folder).and_then(|m| m.modified()).is_ok_and(|at| away(at) >= age);
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    if is_old && entries.all(|e| e.file_name() == LOCKING) {
        let _ = fs::remove_file(folder.join(LOCKING));
        // Fails if something is there now.
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests;
