//! The flags about the cache; the driver has them, too.
use crate::{StoreAddress, local::BOUND};
use halyard_cli::size;
use halyard_diag::{Error, Result};
use std::{env, ffi::OsString, path::PathBuf};

/// The variables that say what the flags would.
const VARIABLE: &str = "HALYARD_CACHE";
const SIZE: &str = "HALYARD_CACHE_SIZE";
const REMOTE: &str = "HALYARD_CACHE_REMOTE";
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
    /// Keep at most SIZE of them, such as 500M [default: what HALYARD_CACHE_SIZE says, else 2G]
    ///
    /// The least recently used ones go first.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub cache_size: Option<u64>,
    /// Share them through the store at URL, or `off` [default: what HALYARD_CACHE_REMOTE says]
    ///
    /// URL is http://…, https://…, s3://BUCKET, grpc://…, grpcs://… or file:///FOLDER. Entries that the cache lacks
    /// are requested there, and new translations are added. `URL?mode=read` adds nothing. See docs/cache.md.
    #[arg(long, value_name = "URL|off")]
    pub cache_remote: Option<String>,
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
    /// The file on this machine; `None`: no folder is known for it.
    pub file: Option<PathBuf>,
    /// How it is used.
    pub mode: CacheMode,
    /// Whether somebody named the folder: then it is a warning if it cannot be used.
    pub named: bool,
    /// The bound of the sizes of all entries in it, in bytes.
    pub bound: u64,
    /// The store that is shared with others.
    pub shared: Option<StoreAddress>,
}

impl CacheChoice {
    /// The same without the store that is shared.
    #[must_use]
    pub fn on_this_machine(self) -> Self {
        Self { shared: None, ..self }
    }
}

impl CacheArgs {
    /// The flags about the cache of this machine.
    pub fn local(&self) -> LocalCacheArgs {
        LocalCacheArgs { cache: self.cache.clone(), cache_size: self.cache_size }
    }

    /// The choice of the flags or the environment; `None`: no cache. Errors: a value that cannot be read, a flag without effect.
    pub fn choice(&self) -> Result<Option<CacheChoice>> {
        let bound = match (self.cache_size, text_of(SIZE)) {
            (Some(bound), _) => bound,
            (None, Some(text)) => size(&text).map_err(|why| Error::usage(format!("`{SIZE}` is `{text}`: {why}")))?,
            (None, None) => BOUND,
        };
        let remote =
            self.cache_remote.clone().or_else(|| text_of(REMOTE)).filter(|text| !text.is_empty() && text != "off");
        let shared = remote.map(|text| StoreAddress::parse(&text)).transpose()?;
        let asked = self.cache.clone().or_else(|| env::var_os(VARIABLE));
        let chosen = choice(asked, default_folder(), bound, shared);
        let remote = self.cache_remote.as_deref().is_some_and(|url| url != "off");
        let idle = [("--cache-size", self.cache_size.is_some()), ("--cache-remote", remote)];
        if let (None, Some((flag, _))) = (&chosen, idle.into_iter().find(|(_, given)| *given)) {
            return Err(Error::usage(format!("`{flag}` has no effect, as there is no cache"))
                .hint("`--cache` or `HALYARD_CACHE` is `off`, or the user's cache folder is unknown"));
        }
        Ok(chosen)
    }

    /// The flags as they would be written.
    pub fn words(&self) -> Vec<String> {
        let mut words = self.local().words();
        words.extend(self.cache_remote.iter().map(|url| format!("--cache-remote={url}")));
        words
    }
}

fn text_of(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|text| !text.is_empty())
}

fn choice(
    asked: Option<OsString>,
    default: Option<PathBuf>,
    bound: u64,
    shared: Option<StoreAddress>,
) -> Option<CacheChoice> {
    let asked = asked.filter(|text| !text.is_empty());
    let mode = match asked.as_ref().and_then(|text| text.to_str()) {
        None if asked.is_none() => CacheMode::ReadWrite,
        Some("off") => return None,
        Some("read") => CacheMode::Read,
        Some("check") => CacheMode::Check,
        _ => {
            let file = asked.map(|text| PathBuf::from(text).join(FILE));
            return Some(CacheChoice { file, mode: CacheMode::ReadWrite, named: true, bound, shared });
        }
    };
    let file = default.map(|folder| folder.join(FILE));
    (file.is_some() || shared.is_some()).then_some(CacheChoice { file, mode, named: false, bound, shared })
}

/// The folder in the user's cache, by the XDG base directory specification: relative paths do not count.
fn default_folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("halyard"))
}

/// Whether and where results are kept on this machine.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct LocalCacheArgs {
    /// Keep results in the cache in this folder, or `off`, `read`, `check` [default: what HALYARD_CACHE says, else
    /// halyard in the user's cache]
    ///
    /// An imported program, or the reply of a preprocessor that declares itself pure, is taken from the cache if everything that
    /// it depends on is the same. `read` adds nothing to the cache, `check` does the work anyway and fails if the cached result differs,
    /// `off` uses no cache. A folder with such a name is written `./off`. See docs/cache.md.
    #[arg(long, value_name = "FOLDER|off|read|check")]
    pub cache: Option<OsString>,
    /// Keep at most SIZE in it, such as 500M [default: what HALYARD_CACHE_SIZE says, else 2G]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub cache_size: Option<u64>,
}

impl LocalCacheArgs {
    /// The choice of the flags or the environment; `None`: no cache. Errors: what [`CacheArgs::choice`] says.
    pub fn choice(&self) -> Result<Option<CacheChoice>> {
        let remote = Some("off".to_owned());
        let all = CacheArgs { cache: self.cache.clone(), cache_size: self.cache_size, cache_remote: remote };
        all.choice()
    }

    /// The flags as they would be written.
    pub fn words(&self) -> Vec<String> {
        let cache = self.cache.iter().map(|text| format!("--cache={}", text.to_string_lossy()));
        cache.chain(self.cache_size.iter().map(|bytes| format!("--cache-size={bytes}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_modes_and_everything_else_is_a_folder() {
        let ask = |text: &str| {
            choice(Some(text.into()), Some("/users/cache".into()), 1, None).map(|c| (c.file, c.mode, c.named))
        };
        assert_eq!(ask("off"), None);
        assert_eq!(ask("read"), Some((Some("/users/cache/objects.db".into()), CacheMode::Read, false)));
        assert_eq!(ask(""), Some((Some("/users/cache/objects.db".into()), CacheMode::ReadWrite, false)));
        assert_eq!(ask("./off"), Some((Some("./off/objects.db".into()), CacheMode::ReadWrite, true)));
        assert!(choice(None, None, 1, None).is_none());
        // A shared store alone is enough.
        let shared = StoreAddress::parse("http://host").ok();
        assert_eq!(choice(None, None, 1, shared).map(|c| c.file), Some(None));
    }
}
