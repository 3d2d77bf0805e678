//! Plugins as far as no MLIR is needed: manifests, options, where plugins are, and which of them are on. Tools that run
//! programs use this alone; `halyard-plugins` adds what tools do with programs. docs/plugins.md is for those who write them.
//!
//! [`Manifest`] is what stands in `plugin.toml`; [`chosen`] and [`resolve`] say which plugins are on, with which values of
//! their options.

mod args;
mod choose;
mod compiled_in;
mod find;
mod list;
mod manifest;
mod options;
mod read;
#[cfg(test)]
mod tests;
mod toml_reader;

pub use args::{PluginArgs, ProgramPluginArgs};
pub use choose::{By, Chosen, RuntimeLibraries, TuningCandidates, WantedPlugin, check_off, chosen, resolve};
pub use list::{help, list};
pub use manifest::{CommandKeys, DeclaredTarget, HOOKS, Libraries, ListedCandidate, Manifest, Stage, What};
pub use options::{DeclaredOption, OptionType};
