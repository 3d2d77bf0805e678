//! A translation of a program.
use crate::{ContainmentArgs, DebugInfo, Options, Tuning, target::Target, targets::Pipelines};
use halyard_cache::CacheChoice;
use halyard_cli::Printer;
use halyard_exec::Launcher;
use halyard_ir::Op;
use std::{collections::HashMap, num::NonZeroUsize, path::PathBuf, sync::Arc};

/// The settings of a translation.
#[derive(Debug, Clone)]
pub struct Translation {
    /// The targets; one variant each.
    pub targets: Vec<Target>,
    /// The options of code generation.
    pub options: Options,
    /// The pipelines from an export to code.
    pub pipelines: Arc<Pipelines>,
    /// Workers at once: what `-j` said, see [`halyard_exec::Slots::new`].
    pub jobs: Option<NonZeroUsize>,
    /// The handling of executables whose translation fails.
    pub containment: ContainmentArgs,
    /// Leave the sources of executables out.
    pub strip_source: bool,
    /// Compare kernels with their sources.
    pub verify: Option<Verify>,
    /// The folders that are searched, after the working directory, for objects of functions that executables call.
    pub object_path: Vec<PathBuf>,
    /// Winners of measurements, in place of the compiler's own choices.
    pub tuning: Option<Tuning>,
    /// Where executables are kept that were translated before.
    pub cache: Option<CacheChoice>,
    /// Line tables.
    pub debug: Option<DebugInfo>,
    /// What runs translations on other machines.
    pub launcher: Option<Launcher>,
    /// Prints which executables take long, while they are translated.
    pub printer: Option<Printer>,
}

/// How kernels are compared with their sources.
#[derive(Debug, Clone)]
pub struct Verify {
    /// The number of runs of each kernel.
    pub runs: u32,
    /// The executables before tools changed them, by name; kernels must agree with these.
    pub originals: HashMap<String, Op>,
}

impl Verify {
    /// Verifies with this many runs, against the present sources.
    pub fn new(runs: u32) -> Self {
        Self { runs, originals: HashMap::new() }
    }
}
