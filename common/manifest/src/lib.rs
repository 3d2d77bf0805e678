//! The parts of plugins that need no MLIR: manifests, options, where plugins are found, and which of them are enabled.
//! Tools that run programs use only this crate; `halyard-plugins` adds what tools do with programs. docs/plugins.md is
//! for authors of plugins.
//!
//! [`Manifest`] is the content of `plugin.toml`; [`chosen`] and [`resolve`] determine which plugins are enabled, and
//! the values of their options.

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
pub use list::{declared_targets, help, list};
pub use manifest::{CommandKeys, DeclaredTarget, HOOKS, Libraries, ListedCandidate, Manifest, Stage, What};
pub use options::{DeclaredOption, OptionType};
