//! Plugins in tools that read programs: `halyard-manifest` determines which are enabled, this crate runs them.
//!
//! [`Active`] is the set of plugins that are enabled for a run. Everything is checked before anything runs: manifests
//! and options by [`Active::for_program`], stages by [`Active::hooks`], which returns the actions at hooks as tasks of
//! `halyard-preprocess`.

mod activate;
mod active;
mod compiled_in;

pub use active::{Active, ExternalGenerator};
pub use halyard_manifest::{PluginArgs, ProgramPluginArgs, declared_targets, help, list};
