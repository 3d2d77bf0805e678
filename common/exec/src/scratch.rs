//! Temporary folders: makes them, and removes those of dead processes.
//!
//! A folder holds a file that its process keeps locked while it lives (`flock`): the system releases the lock when the
//! process ends, for whatever reason. The first folder that a process makes removes those whose lock is free. Folders are
//! removed with that file last, and made with it first: one without it that holds anything is not a scratch folder, or was
//! kept, and is left alone; an empty one is of a process that was killed in between, once it is old enough.
use crate::cleanup;
use halyard_diag::{Error, Result};
use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Once,
    time::Duration,
};

/// The prefix of the names of all folders.
const PREFIX: &str = "halyard-";
/// The file that is locked.
const LOCK: &str = ".in-use";
/// Its name before it is locked.
const LOCKING: &str = ".locking";
/// The age at which an empty folder is surely not being made any more.
const EMPTY: Duration = Duration::from_secs(60);
/// The most entries of the temporary folder that are scanned: other programs may have filled it.
const MOST: usize = 20_000;

/// A temporary folder below `TMPDIR`. It goes away when dropped or when a signal ends the process, unless kept; what
/// SIGKILL leaves, the next process sweeps.
#[derive(Debug)]
pub struct Scratch {
    folder: Option<tempfile::TempDir>,
    /// Holds the lock; `None` if files cannot be locked, and then no process removes the folder.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes a folder; `purpose` becomes part of its name. Errors: it cannot be made.
    pub fn new(purpose: &str) -> Result<Self> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| sweep(&std::env::temp_dir()));
        let made = tempfile::Builder::new().prefix(&format!("{PREFIX}{purpose}-")).tempdir();
        let folder = made.map_err(|e| {
            Error::io("make a folder in", std::env::temp_dir(), &e).hint("`TMPDIR` sets the folder for scratch files")
        })?;
        cleanup::add_folder(folder.path());
        let lock = lock(folder.path()).ok();
        Ok(Self { folder: Some(folder), _lock: lock })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.as_ref().map_or(Path::new(""), |f| f.path())
    }

    /// Writes a file into the folder and returns its path. Errors: it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.path().join(name);
        fs::write(&path, bytes).map_err(|e| Error::io("write", &path, &e))?;
        Ok(path)
    }

    /// Keeps the folder, so that people can inspect it; returns its path.
    pub fn keep(mut self) -> PathBuf {
        cleanup::remove_folder(self.path());
        let _ = fs::remove_file(self.path().join(LOCK));
        self.folder.take().map(tempfile::TempDir::keep).unwrap_or_default()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            cleanup::remove_folder(folder.path());
            remove(&folder.keep());
        }
    }
}

/// Removes a folder, its locked file last: whoever is killed in between leaves a folder that is swept.
pub(crate) fn remove(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(|e| e.file_name() != LOCK) {
        let path = entry.path();
        let _ =
            if entry.file_type().is_ok_and(|t| t.is_dir()) { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    let _ = fs::remove_dir_all(folder);
}

/// Makes the locked file. It is named last, so that no process sees it unlocked while this one lives.
fn lock(folder: &Path) -> io::Result<File> {
    let name = folder.join(LOCKING);
    let file = File::create(&name)?;
    if let Err(e) = try_lock(&file).and_then(|()| fs::rename(&name, folder.join(LOCK))) {
        let _ = fs::remove_file(&name);
        return Err(e);
    }
    Ok(file)
}

fn try_lock(file: &File) -> io::Result<()> {
    file.try_lock().map_err(io::Error::from)
}

/// Removes the folders of processes of ours that are gone.
fn sweep(top: &Path) {
    // SAFETY: a system call without arguments.
    let user = unsafe { libc::geteuid() };
    for entry in fs::read_dir(top).into_iter().flatten().take(MOST).flatten() {
        let (path, ours) = (entry.path(), entry.file_name().to_str().is_some_and(|n| n.starts_with(PREFIX)));
        // Of the entry itself: a link to a folder is not a scratch folder.
        if !ours || !entry.metadata().is_ok_and(|m| m.is_dir() && m.uid() == user) {
            continue;
        }
        let lock =
            OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path.join(LOCK));
        match lock {
            Ok(lock) if try_lock(&lock).is_ok() => remove(&path),
            Err(e) if e.kind() == io::ErrorKind::NotFound => sweep_empty(&path),
            _ => {}
        }
    }
}

/// Removes an old folder that holds nothing, or the beginning of a lock.
fn sweep_empty(folder: &Path) {
    let age = fs::metadata(folder).and_then(|m| m.modified()).map(|at| at.elapsed().unwrap_or_default());
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    if age.is_ok_and(|age| age > EMPTY) && entries.all(|e| e.file_name() == LOCKING) {
        let _ = fs::remove_file(folder.join(LOCKING));
        // Fails if something is there now.
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests;
