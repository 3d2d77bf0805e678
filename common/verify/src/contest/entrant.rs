//! A kernel that takes part.
use crate::{jit::Loaded, kernel::cpu_property, trial::Count, worker::CodeOfVariant};
use halyard_ir::form::PackedWeight;

/// A variant that is loaded into this process.
pub(super) struct Entrant {
    /// Its kernels, in the order of the exports of the source.
    pub(super) kernels: Vec<EntrantKernel>,
    /// Keeps the code.
    pub(super) _loaded: (Loaded, CodeOfVariant),
}

/// The kernel of an export.
pub(super) struct EntrantKernel {
    pub(super) address: usize,
    /// The size of its code in bytes; 0 if that is not known.
    pub(super) size: usize,
    pub(super) count: Count,
    /// The load-time constants that its kernel takes.
    pub(super) takes: Vec<String>,
    /// The weights that it takes in other layouts.
    pub(super) packed: Vec<PackedWeight>,
}

impl EntrantKernel {
    /// The values of its load-time constants.
    pub(super) fn load_constants(&self) -> Vec<i64> {
        self.takes.iter().map(|name| cpu_property(name)).collect()
    }
}
