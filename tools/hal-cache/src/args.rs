//! The command line.
use clap::{Parser, ValueEnum};
use halyard_cache::CacheArgs;
use halyard_cli::{GlobalArgs, ToolArgs, size};
use halyard_diag::{Error, Result};

/// Manage the cache of executables, imported programs and replies of preprocessors
///
/// The tools cache what they translate and import, and reuse it while everything that it depends on is the same: the
/// executable, whatever its name, or the model; the target; the options; the builds of the tools and of LLVM.
#[derive(Debug, Parser)]
#[command(name = "hal-cache")]
pub struct HalCacheArgs {
    /// What to do
    #[arg(value_name = "COMMAND", value_enum)]
    pub command: CacheCommand,
    /// With list: only entries whose source's hash begins with this, as `hal-translate --explain` prints it; with explain: an
    /// entry's key or its beginning; with probe, store and execute: the URL of a shared store or server
    #[arg(value_name = "SOURCE|KEY|URL")]
    pub subject: Option<String>,
    /// With prune: keep at most SIZE of entries, such as 500M
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub to: Option<u64>,
    /// With prune: remove all entries
    #[arg(long, conflicts_with = "to")]
    pub all: bool,
    /// With stats: print JSON
    #[arg(long)]
    pub json: bool,
    /// Which cache.
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// What to do with a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CacheCommand {
    /// Print its location, and the number of entries and their size, of each kind
    Stats,
    /// List the entries, the last used first: key, size, and what they depend on beside their source
    List,
    /// Check the file and the checksum of each entry, and remove damaged entries; exit code 1 if there are some
    Verify,
    /// Remove the least recently used entries
    Prune,
    /// Say how the entry KEY differs from the others of the same executable or model: why it was not found
    Explain,
    /// Test the shared store at URL: add an entry and read it again; say whether a server executes
    Probe,
    /// Carry entries between standard input and output and the shared store at URL; `hal-translate` starts this
    Store,
    /// Carry jobs between standard input and output and the remote execution server at URL; `hal-translate` starts this
    Execute,
}

impl CacheCommand {
    /// What it needs after its name.
    fn needs(self) -> Option<&'static str> {
        match self {
            Self::Explain => Some("KEY"),
            Self::Probe | Self::Store | Self::Execute => Some("URL"),
            _ => None,
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
    }
}

impl HalCacheArgs {
    /// Fails if a flag has no effect on the command, or one is missing.
    pub(crate) fn check(&self) -> Result<()> {
        let flags = [
            ("--to", self.to.is_some(), CacheCommand::Prune),
            ("--all", self.all, CacheCommand::Prune),
            ("--json", self.json, CacheCommand::Stats),
        ];
        let named = self.command == CacheCommand::List || self.command.needs().is_some();
        let idle = flags.into_iter().find(|(_, given, of)| *given && *of != self.command);
        let idle = idle
            .map(|(flag, _, of)| (flag, of))
            .or((self.subject.is_some() && !named).then_some(("SOURCE", CacheCommand::List)));
        if let Some((flag, of)) = idle {
            return Err(Error::usage(format!("`{flag}` has no effect here: it belongs to `hal-cache {}`", of.name())));
        }
        if let (Some(what), None) = (self.command.needs(), &self.subject) {
            return Err(Error::usage(format!("`hal-cache {}` needs {what} after it", self.command.name())));
        }
        if self.command == CacheCommand::Prune && self.to.is_none() && !self.all {
            return Err(Error::usage("`hal-cache prune` needs `--to=SIZE`, or `--all` to remove everything"));
        }
        Ok(())
    }
}

impl ToolArgs for HalCacheArgs {
    const EXAMPLES: &'static str = "
        hal-cache stats
        hal-cache list 3fa9
        hal-cache verify --cache=build/cache
        hal-cache prune --to=500M
        hal-cache explain 3fa97c
        hal-cache probe http://cache.example:8080?timeout=2s";

    const COMMON: &'static [&'static str] = &["to", "all", "json", "cache", "cache-size", "cache-remote"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--list", "`hal-cache list`"),
        ("--stats", "`hal-cache stats`"),
        ("--clear", "`hal-cache prune --all` removes all entries"),
        ("--clean", "`hal-cache prune --all` removes all entries"),
    ];

    const SEE_ALSO: &'static str = "
        hal-translate --cache, hal-compile --cache (fill and use the cache)
        docs/cache.md";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        HalCacheArgs::command().debug_assert();
    }
}
