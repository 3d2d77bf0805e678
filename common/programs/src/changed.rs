//! Notices programs whose files are written to while they are used.
//!
//! Linked programs are mapped: what somebody writes into the file appears in the running program, and what is cut off ends it by
//! SIGBUS. A file that takes the place of another one (a rename) does no harm.
use halyard_diag::Error;
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// The hint for those who did it.
const HINT: &str =
    "write a new file and rename it, as `hal-link -o` does, or remove the old one before; then run again";

/// The files of programs, as they were at first.
pub(crate) struct WatchedFiles<'p>(Vec<(&'p Path, Identity)>);

/// What stays the same until somebody writes to a file.
#[derive(PartialEq)]
struct Identity {
    file: (u64, u64),
    size: u64,
    written: (i64, i64),
}

fn identity(path: &Path) -> Option<Identity> {
    let about = fs::metadata(path).ok()?;
    Some(Identity {
        file: (about.dev(), about.ino()),
        size: about.size(),
        written: (about.mtime(), about.mtime_nsec()),
    })
}

impl<'p> WatchedFiles<'p> {
    pub(crate) fn new(paths: &'p [PathBuf]) -> Self {
        Self(paths.iter().filter_map(|path| Some((path.as_path(), identity(path)?))).collect())
    }

    /// The first one that was written to since.
    pub(crate) fn changed(&self) -> Option<&'p Path> {
        let is_changed =
            |path: &Path, then: &Identity| identity(path).is_some_and(|now| now.file == then.file && now != *then);
        self.0.iter().find(|(path, then)| is_changed(path, then)).map(|(path, _)| *path)
    }
}

/// The error where everything seemed to be well.
pub(crate) fn untrusted(path: &Path) -> Error {
    let what = format!("`{}` was written to while it was used: what was computed may be wrong", path.display());
    Error::environment(what).code("program-changed").hint(HINT)
}

/// Explains a crash by it.
pub(crate) fn explained(error: Error, path: &Path) -> Error {
    error.note(format!("`{}` was written to while it was used, which may be the cause", path.display())).hint(HINT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_is_noticed_and_replacing_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
        paths.iter().for_each(|path| fs::write(path, "first").unwrap());
        let watched = WatchedFiles::new(&paths);
        assert_eq!(watched.changed(), None);
        fs::remove_file(&paths[0]).unwrap();
        fs::write(folder.path().join("new"), "second, longer").unwrap();
        fs::rename(folder.path().join("new"), &paths[1]).unwrap();
        assert_eq!(watched.changed(), None);
        fs::write(&paths[2], "f").unwrap();
        assert_eq!(watched.changed(), Some(&*paths[2]));
    }
}
