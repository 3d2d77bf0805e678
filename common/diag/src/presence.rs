//! Looks at paths, where one that cannot be looked at (an I/O error, a missing permission) may well be there: whoever reads it
//! then says what is wrong. Standard `exists` and `is_file` call it absent, which sends people looking for a file that they have.
use std::{
    fs::{File, Metadata},
    io::{Error, ErrorKind},
    path::Path,
};

/// Whether something is at a path, or that cannot be determined.
pub fn may_exist(path: &Path) -> bool {
    may_be(path, |_| true)
}

/// Whether a file is at a path, or that cannot be determined.
pub fn may_be_file(path: &Path) -> bool {
    may_be(path, Metadata::is_file)
}

/// Whether a file is at a path. Errors: that cannot be determined.
pub fn try_is_file(path: &Path) -> Result<bool, Error> {
    match path.metadata() {
        Err(e) if !says_absent(&e) => Err(e),
        looked => Ok(looked.is_ok_and(|about| about.is_file())),
    }
}

/// Whether a folder is at a path, or that cannot be determined.
pub fn may_be_folder(path: &Path) -> bool {
    may_be(path, Metadata::is_dir)
}

/// Whether an error says that nothing is at a path, and nothing can be.
pub fn says_absent(error: &Error) -> bool {
    use ErrorKind::*;
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename | InvalidInput)
}

/// Why a file cannot be read to its end; `None` if it can. SQLite calls a file damaged that the disk does not give (EIO).
pub fn read_error(path: &Path) -> Option<Error> {
    File::open(path).and_then(|mut file| std::io::copy(&mut file, &mut std::io::sink())).err()
}

fn may_be(path: &Path, is: impl Fn(&Metadata) -> bool) -> bool {
    path.metadata().map_or_else(|e| !says_absent(&e), |about| is(&about))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_looked_at_may_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        std::os::unix::fs::symlink("circle", at("circle")).unwrap();
        let all = |path: &Path| [may_exist(path), may_be_file(path), may_be_folder(path)];
        assert_eq!(all(&at("file")), [true, true, false]);
        assert!(read_error(&at("file")).is_none() && read_error(folder.path()).is_some());
        assert_eq!(all(folder.path()), [true, false, true]);
        assert_eq!(all(&at("circle")), [true; 3]);
        assert!(try_is_file(&at("file")).unwrap() && !try_is_file(folder.path()).unwrap());
        assert!(!try_is_file(&at("none")).unwrap() && try_is_file(&at("circle")).is_err());
        for absent in ["none", "file/inside", "nul\0", &"long".repeat(100)] {
            assert_eq!(all(&at(absent)), [false; 3], "{absent}");
        }
    }
}
