//! Plugins in tools that read programs: `halyard-manifest` says which are on, here is what they do.
//!
//! [`Active`] is the plugins that are on for a run. Everything is checked before anything runs: manifests and options by
//! [`Active::for_program`], stages by [`Active::hooks`], which gives what they do at hooks as tasks of `halyard-preprocess`.

mod activate;
mod active;
mod compiled_in;

pub use active::{Active, ExternalGenerator};
pub use halyard_manifest::{PluginArgs, ProgramPluginArgs, help, list};
