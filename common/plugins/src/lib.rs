//! Plugins: folders with a manifest, `plugin.toml`, that add stages at hooks, options, targets and libraries to the tools;
//! docs/plugins.md is for those who write them.
//!
//! [`Active`] is the plugins that are on for a run. Everything is checked before anything runs: manifests and options by
//! [`Active::for_program`], stages by [`Active::hooks`], which gives what they do at hooks as tasks of `halyard-preprocess`.
//! Plugins that are Rust crates are listed in `compiled_in.rs`.

mod activate;
mod active;
mod args;
mod compiled_in;
mod find;
mod list;
mod manifest;
mod options;
#[cfg(test)]
mod tests;
mod toml_reader;

pub use active::{Active, Generator};
pub use args::{PluginArgs, ProgramPluginArgs};
pub use list::{help, list};
