//! Temporary folders: makes them, and removes those of dead processes.
//!
//! A folder holds a file that its process keeps locked while it lives (`flock`): the system releases the lock when the
//! process ends, for whatever reason. The first folder that a process makes removes those whose lock is free. A folder
//! without that file is not a scratch folder and is left alone.
use crate::cleanup;
use halyard_diag::{Error, Result};
use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Once,
};

/// The prefix of the names of all folders.
const PREFIX: &str = "halyard-";
/// The file that is locked.
const LOCK: &str = ".in-use";
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
        if self.folder.is_some() {
            cleanup::remove_folder(self.path());
        }
    }
}

/// Makes the locked file. It is named last, so that no process sees it unlocked while this one lives.
fn lock(folder: &Path) -> io::Result<File> {
    let name = folder.join(".locking");
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
        if lock.is_ok_and(|lock| try_lock(&lock).is_ok()) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests;
