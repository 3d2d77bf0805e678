//! The flags about the cache for tools whose entries stay on their machine.
use crate::{CacheArgs, CacheChoice};
use halyard_cli::size;
use halyard_diag::Result;
use std::ffi::OsString;

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
        Ok(all.choice()?.map(|choice| choice.on_this_machine()))
    }

    /// The flags as they would be written.
    pub fn words(&self) -> Vec<String> {
        let cache = self.cache.iter().map(|text| format!("--cache={}", text.to_string_lossy()));
        cache.chain(self.cache_size.iter().map(|bytes| format!("--cache-size={bytes}"))).collect()
    }
}
