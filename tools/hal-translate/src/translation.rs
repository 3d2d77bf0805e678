//! What to do with a program.
use crate::{ContainmentArgs, Options, Tuning, target::Target, targets::Pipelines};
use halyard_cache::CacheChoice;
use halyard_ir::Op;
use std::{collections::HashMap, num::NonZeroUsize, path::PathBuf, sync::Arc};

/// What to do with a program.
#[derive(Debug, Clone)]
pub struct Translation {
    /// What to generate code for; one variant each.
    pub targets: Vec<Target>,
    /// How.
    pub options: Options,
    /// The ways from an export to code.
    pub pipelines: Arc<Pipelines>,
    /// Workers at once: what `-j` said, see [`halyard_exec::Slots::new`].
    pub jobs: Option<NonZeroUsize>,
    /// What becomes of executables whose translation crashes.
    pub containment: ContainmentArgs,
    /// Leave the sources of executables out.
    pub strip_source: bool,
    /// Compare kernels with their sources.
    pub verify: Option<Verify>,
    /// Where objects of functions that executables call may be, after the working directory.
    pub object_path: Vec<PathBuf>,
    /// Winners of measurements, in place of the compiler's own choices.
    pub tuning: Option<Tuning>,
    /// Where executables are kept that were translated before.
    pub cache: Option<CacheChoice>,
}

/// Whether and how kernels are compared with their sources.
#[derive(Debug, Clone)]
pub struct Verify {
    /// Runs of each kernel.
    pub runs: u32,
    /// What executables were before tools changed them, by name; their kernels are to agree with that.
    pub originals: HashMap<String, Op>,
}

impl Verify {
    /// So many runs, with the sources as they are.
    pub fn new(runs: u32) -> Self {
        Self { runs, originals: HashMap::new() }
    }
}
