//! `hal-cache`: looks after the cache of translated executables. `common/cache` is the cache itself.

mod args;
mod run;

pub use args::HalCacheArgs;
pub use run::run;

/// The tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
