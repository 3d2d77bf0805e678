//! Temporary folders.
use crate::cleanup;
use halyard_diag::{Error, Result};
use std::path::{Path, PathBuf};

/// A temporary folder below `TMPDIR`. It goes away when dropped or when a signal ends the process, unless kept.
#[derive(Debug)]
pub struct Scratch {
    folder: Option<tempfile::TempDir>,
}

impl Scratch {
    /// Makes a folder; `purpose` becomes part of its name. Errors: it cannot be made.
    pub fn new(purpose: &str) -> Result<Self> {
        let made = tempfile::Builder::new().prefix(&format!("halyard-{purpose}-")).tempdir();
        let folder = made.map_err(|e| {
            Error::io("make a folder in", std::env::temp_dir(), &e).hint("`TMPDIR` says where scratch folders go")
        })?;
        cleanup::add_folder(folder.path());
        Ok(Self { folder: Some(folder) })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.as_ref().map_or(Path::new(""), |f| f.path())
    }

    /// Writes a file into the folder and returns its path. Errors: it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).map_err(|e| Error::io("write", &path, &e))?;
        Ok(path)
    }

    /// Lets the folder stay, for people to look into; returns its path.
    pub fn keep(mut self) -> PathBuf {
        cleanup::remove_folder(self.path());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_away_unless_kept() {
        let scratch = Scratch::new("test").unwrap();
        let file = scratch.write("a", b"x").unwrap();
        let folder = scratch.path().to_owned();
        assert!(file.exists());
        drop(scratch);
        assert!(!folder.exists());
        let kept = Scratch::new("test").unwrap().keep();
        assert!(kept.exists());
        std::fs::remove_dir(kept).unwrap();
    }
}
