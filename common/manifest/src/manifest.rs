//! The content of a manifest; docs/plugins.md describes it.
use crate::options::DeclaredOption;
use halyard_diag::Source;
use halyard_grammar::PipelineEntry;
use std::{path::PathBuf, sync::Arc};

/// The places where stages of plugins run, in the order of phases.
pub const HOOKS: [&str; 6] = ["input", "global", "dispatch", "executable", "object", "link"];
/// The name of the file.
pub(crate) const FILE: &str = "plugin.toml";

/// A manifest, known to be sound in itself.
#[derive(Debug)]
pub struct Manifest {
    /// The plugin's name.
    pub name: String,
    /// A one-line description.
    pub description: String,
    /// The plugin's version.
    pub version: String,
    /// Whether a program may request the plugin.
    pub safe: bool,
    pub options: Vec<DeclaredOption>,
    pub stages: Vec<Stage>,
    /// The code generators that the plugin provides.
    pub targets: Vec<DeclaredTarget>,
    pub libraries: Libraries,
    /// Schedules and other files for tuning.
    pub candidates: Vec<ListedCandidate>,
    /// The text of the manifest.
    pub source: Arc<Source>,
    /// Its folder; `None` if it is compiled in.
    pub folder: Option<PathBuf>,
}

/// The kind of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Stage,
    Command,
    /// A function of the crate, for plugins that are compiled in.
    Call,
}

/// A stage at a hook.
#[derive(Debug)]
pub struct Stage {
    /// The hook, one of [`HOOKS`].
    pub hook: &'static str,
    pub what: What,
    pub entry: PipelineEntry,
    /// The option of type `bool` on which it depends.
    pub when: Option<String>,
    pub command: CommandKeys,
}

/// The keys that only commands have.
#[derive(Debug, Default)]
pub struct CommandKeys {
    pub bytecode: bool,
    pub empty_is_unchanged: bool,
    /// Whether replies depend on nothing but the input and files: those of the line and `reads`.
    pub pure: bool,
    /// Files of the plugin that replies depend on.
    pub reads: Vec<PathBuf>,
    pub timeout: Option<PipelineEntry>,
    pub memory: Option<PipelineEntry>,
}

/// A code generator: an executable in, an object out.
#[derive(Debug)]
pub struct DeclaredTarget {
    /// The target's name, as in `--target`.
    pub name: String,
    /// A one-line description.
    pub description: String,
    pub entry: PipelineEntry,
    pub command: CommandKeys,
    /// The CPU target that the objects run on, as in `--target`.
    pub cpu: PipelineEntry,
    /// Into how many workgroups a dispatch is cut.
    pub workgroups: [u32; 3],
    /// An empty reply leaves an executable to other targets.
    pub partial: bool,
}

/// Shared libraries, in order; paths as the tools open them.
#[derive(Debug, Default)]
pub struct Libraries {
    pub passes: Vec<PathBuf>,
    pub dialects: Vec<PathBuf>,
    pub host: Vec<PathBuf>,
    pub device: Vec<PathBuf>,
}

/// A file that competes with kernels in `hal-tune`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCandidate {
    /// Which executables it is for, as `--candidate` names them; `None`: whichever it fits.
    pub executable: Option<String>,
    /// The file.
    pub file: PathBuf,
}
