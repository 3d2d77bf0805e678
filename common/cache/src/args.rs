//! The flag about the cache; the driver has it, too.
use std::{env, ffi::OsString, path::PathBuf};

/// The variable that says what the flag would.
const VARIABLE: &str = "HALYARD_CACHE";
/// The name of the file in the folder of a cache.
const FILE: &str = "objects.db";

/// Whether and where translated executables are kept.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CacheArgs {
    /// Keep translated executables in this folder, or `off`, `read`, `check` [default: what HALYARD_CACHE says, else
    /// halyard in the user's cache]
    ///
    /// An executable that was translated before, in whatever program and under whatever name, is taken from the cache if
    /// everything that its code depends on is the same. `read` adds nothing to the cache, `check` translates anyway and fails if the
    /// cached code differs, `off` uses no cache. A folder with such a name is written `./off`.
    #[arg(long, value_name = "FOLDER|off|read|check")]
    pub cache: Option<OsString>,
}

/// How a cache is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheMode {
    /// Entries are taken and added.
    ReadWrite,
    /// Entries are taken.
    Read,
    /// All is translated, and compared with the entries; those that are missing are added.
    Check,
}

/// A cache to use.
#[derive(Debug, Clone)]
pub struct CacheChoice {
    /// Its file.
    pub path: PathBuf,
    /// How it is used.
    pub mode: CacheMode,
    /// Whether somebody named the folder: then it is a warning if it cannot be used.
    pub named: bool,
}

impl CacheArgs {
    /// The choice of the flag or the environment; `None`: no cache.
    pub fn choice(&self) -> Option<CacheChoice> {
        choice(self.cache.clone().or_else(|| env::var_os(VARIABLE)), default_folder())
    }

    /// The flag as it would be written.
    pub fn words(&self) -> Vec<String> {
        self.cache.iter().map(|text| format!("--cache={}", text.to_string_lossy())).collect()
    }
}

fn choice(asked: Option<OsString>, default: Option<PathBuf>) -> Option<CacheChoice> {
    let here = |mode| Some(CacheChoice { path: default?.join(FILE), mode, named: false });
    match asked.filter(|text| !text.is_empty()) {
        None => here(CacheMode::ReadWrite),
        Some(text) => match text.to_str() {
            Some("off") => None,
            Some("read") => here(CacheMode::Read),
            Some("check") => here(CacheMode::Check),
            _ => {
                let path = PathBuf::from(text).join(FILE);
                Some(CacheChoice { path, mode: CacheMode::ReadWrite, named: true })
            }
        },
    }
}

/// The folder in the user's cache, by the XDG base directory specification: relative paths do not count.
fn default_folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("halyard"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_modes_and_everything_else_is_a_folder() {
        let ask =
            |text: &str| choice(Some(text.into()), Some("/users/cache".into())).map(|c| (c.path, c.mode, c.named));
        assert_eq!(ask("off"), None);
        assert_eq!(ask("read"), Some(("/users/cache/objects.db".into(), CacheMode::Read, false)));
        assert_eq!(ask(""), Some(("/users/cache/objects.db".into(), CacheMode::ReadWrite, false)));
        assert_eq!(ask("./off"), Some(("./off/objects.db".into(), CacheMode::ReadWrite, true)));
        assert!(choice(None, None).is_none());
    }
}
