//! Files without a name until they are complete: a process that is killed while it writes leaves nothing behind.
use std::{
    ffi::CString,
    fs::{self, File, OpenOptions},
    io::{self, Seek},
    os::{
        fd::AsRawFd,
        unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    },
    path::{Path, PathBuf},
};

/// A file that is not in any folder yet.
#[derive(Debug)]
pub(crate) struct Unnamed {
    pub(crate) file: File,
    folder: PathBuf,
}

impl Unnamed {
    /// Makes one for a folder; `None` where the system has no such files.
    pub(crate) fn new(folder: &Path) -> Option<Self> {
        let file =
            OpenOptions::new().read(true).write(true).custom_flags(libc::O_TMPFILE).mode(0o600).open(folder).ok()?;
        let unnamed = Self { file, folder: folder.to_owned() };
        unnamed.link().exists().then_some(unnamed)
    }

    /// Returns the path under which `/proc` shows the open file.
    fn link(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
    }

    /// Gives the file its name, and replaces an existing file of that name. Fails if the folder cannot be written.
    pub(crate) fn persist(mut self, path: &Path) -> io::Result<()> {
        // A new name is given at once, so that a process that is killed here leaves no second one.
        if self.name(path).is_ok() {
            return Ok(());
        }
        // Names cannot be taken over by a link, but by a rename.
        let unique = tempfile::Builder::new().prefix(".hal-").make_in(&self.folder, |name| self.name(name));
        let named = match unique {
            Ok(named) => named.into_temp_path(),
            // Some file systems have unnamed files and give them no name.
            Err(_) => {
                let mut named = tempfile::Builder::new().prefix(".hal-").tempfile_in(&self.folder)?;
                self.file.rewind()?;
                io::copy(&mut self.file, named.as_file_mut())?;
                fs::set_permissions(named.path(), self.file.metadata()?.permissions())?;
                named.into_temp_path()
            }
        };
        named.persist(path).map_err(|e| e.error)
    }

    /// Gives the file a name. Fails if a file has it, or if the folder cannot be written.
    pub(crate) fn name(&self, name: &Path) -> io::Result<()> {
        let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other);
        let (from, to) = (text(&self.link())?, text(name)?);
        let here = libc::AT_FDCWD;
        // SAFETY: a system call on names that live through it.
        match unsafe { libc::linkat(here, from.as_ptr(), here, to.as_ptr(), libc::AT_SYMLINK_FOLLOW) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn there_is_nothing_to_see_until_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
        for text in ["first", "second"] {
            let Some(mut file) = Unnamed::new(folder.path()) else { return };
            let before = names();
            file.file.write_all(text.as_bytes()).unwrap();
            assert_eq!(names(), before);
            file.persist(&folder.path().join("x")).unwrap();
            assert_eq!(
                (names(), fs::read_to_string(folder.path().join("x")).unwrap()),
                (vec!["x".into()], text.into())
            );
        }
    }
}
