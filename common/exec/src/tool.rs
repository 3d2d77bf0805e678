//! Finds external programs.
use halyard_diag::{Error, Result, says_absent};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// An external program.
#[derive(Debug, Clone)]
pub struct Tool {
    /// The name in messages.
    name: String,
    path: PathBuf,
    /// Arguments that precede all others.
    pub(crate) first: Vec<OsString>,
}

impl Tool {
    /// Finds a program: `name` with a slash is a path, else it is searched on `PATH`. Errors: not found, not executable;
    /// `install` says how to get it, e.g. ``install the package `lld-22` ``.
    pub fn find(name: &str, install: &str) -> Result<Self> {
        Self::find_any(&[name], &[], install)
    }

    /// Finds the first of several names (`ld.lld-22`, `ld.lld`), in `folders` before `PATH`. Errors: as [`Tool::find`].
    pub fn find_any(names: &[&str], folders: &[&Path], install: &str) -> Result<Self> {
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        for name in names {
            let path = Path::new(name);
            let found = if name.contains('/') {
                is_executable(path).then(|| path.to_owned())
            } else {
                let candidates =
                    folders.iter().map(|f| f.join(name)).chain(std::env::split_paths(&on_path).map(|f| f.join(name)));
                candidates.into_iter().find(|p| is_executable(p))
            };
            if let Some(path) = found {
                return Ok(Self { name: (*name).to_owned(), path, first: Vec::new() });
            }
        }
        let name = names.first().copied().unwrap_or_default();
        let error = Error::environment(if name.contains('/') {
            match Path::new(name).metadata() {
                Ok(_) => format!("cannot run `{name}`: it is not an executable file"),
                Err(e) if says_absent(&e) => format!("cannot run `{name}`: it does not exist"),
                Err(e) => return Err(Error::io("run", name, &e).code("missing-program")),
            }
        } else {
            format!("cannot find the program `{name}` on `PATH`")
        });
        Err(if install.is_empty() {
            error.code("missing-program")
        } else {
            error.code("missing-program").hint(install)
        })
    }

    /// Finds a program of LLVM 22 by its plain name, e.g. `ld.lld`: where LLVM was when Halyard was built, then
    /// `NAME-22` and `NAME` on `PATH`. `package` is the Debian package that has it.
    pub fn llvm(name: &str, package: &str) -> Result<Self> {
        let prefix = std::env::var_os("MLIR_SYS_220_PREFIX").map(PathBuf::from);
        let built = option_env!("MLIR_SYS_220_PREFIX").map(PathBuf::from);
        let folders: Vec<_> = prefix.into_iter().chain(built).map(|p| p.join("bin")).collect();
        let folders: Vec<_> = folders.iter().map(PathBuf::as_path).collect();
        let in_folders = folders.iter().map(|f| f.join(name)).find(|p| is_executable(p));
        if let Some(path) = in_folders {
            return Ok(Self { name: name.to_owned(), path, first: Vec::new() });
        }
        let versioned = format!("{name}-22");
        let found = Self::find_any(
            &[&versioned, name],
            &[],
            &format!("install the package `{package}`, or run `scripts/setup`"),
        )?;
        Ok(Self { name: name.to_owned(), ..found })
    }

    /// Finds another tool of Halyard: in the folder of the program that runs, else on `PATH`. Errors: as [`Tool::find`].
    pub fn of_halyard(name: &str) -> Result<Self> {
        let own = std::env::current_exe().ok().and_then(|p| p.parent().map(Path::to_owned));
        let folders: Vec<&Path> = own.iter().map(PathBuf::as_path).collect();
        Self::find_any(&[name], &folders, "it is a part of Halyard: install all tools into one folder")
    }

    /// Makes a tool that runs a command line with `sh -c`.
    pub fn shell(line: &str) -> Result<Self> {
        let sh = Self::find("sh", "").or_else(|_| Self::find("/bin/sh", ""))?;
        Ok(Self { name: line.to_owned(), first: vec!["-c".into(), line.into()], ..sh })
    }

    /// Returns the name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the file that is run.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
