//! What stands in a manifest; docs/plugins.md is its description.
use crate::{options::DeclaredOption, read::Reader};
use halyard_diag::{Result, Source};
use halyard_grammar::PipelineEntry;
use std::{path::PathBuf, sync::Arc};

/// The places where stages of plugins run, in the order of phases.
pub const HOOKS: [&str; 6] = ["input", "global", "dispatch", "executable", "object", "link"];
/// The name of the file.
pub(crate) const FILE: &str = "plugin.toml";

/// A manifest, known to be sound in itself.
#[derive(Debug)]
pub struct Manifest {
    /// The name of the plugin.
    pub name: String,
    /// What it is for, in a line.
    pub description: String,
    /// Its own version.
    pub version: String,
    /// A program may ask for it.
    pub safe: bool,
    pub options: Vec<DeclaredOption>,
    pub stages: Vec<Stage>,
    /// The code generators that it has.
    pub targets: Vec<DeclaredTarget>,
    pub libraries: Libraries,
    /// Schedules and other files for tuning.
    pub candidates: Vec<ListedCandidate>,
    /// Its text.
    pub source: Arc<Source>,
    /// Its folder; `None` if it is compiled in.
    pub folder: Option<PathBuf>,
}

/// What a stage is.
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
    /// One of [`HOOKS`].
    pub hook: &'static str,
    pub what: What,
    pub entry: PipelineEntry,
    /// The option of type `bool` on which it depends.
    pub when: Option<String>,
    pub command: CommandKeys,
}

/// What commands have besides.
#[derive(Debug, Default)]
pub struct CommandKeys {
    pub bytecode: bool,
    pub empty_is_unchanged: bool,
    pub timeout: Option<PipelineEntry>,
    pub memory: Option<PipelineEntry>,
}

/// A code generator: an executable in, an object out.
#[derive(Debug)]
pub struct DeclaredTarget {
    /// As `--target` has it.
    pub name: String,
    /// What it is for, in a line.
    pub description: String,
    pub entry: PipelineEntry,
    pub command: CommandKeys,
    /// What the objects run on, as `--target` has it.
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

impl Manifest {
    /// Reads a manifest; `folder` is where its files are. Errors: what is no TOML, unknown and missing keys, values of
    /// another kind, files that are not there, options that nothing uses.
    pub fn read(source: Arc<Source>, folder: Option<PathBuf>) -> Result<Self> {
        Reader { source, folder }.manifest()
    }
}
