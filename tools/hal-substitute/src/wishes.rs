//! What the command line asks of new variants.
use crate::{GpuWishes, Workgroups, object::Others};
use halyard_ir::form::Phase;
use halyard_targets::Target;

/// What the command line says about all objects.
pub(crate) struct Wishes<'a> {
    pub(crate) phase: Phase,
    /// The targets of the program, as far as they are said.
    pub(crate) targets: &'a [Target],
    pub(crate) workgroups: &'a [Workgroups],
    /// What is said of kernels for GPUs.
    pub(crate) gpu: &'a GpuWishes,
    /// For each file: the kernels of the program that it does not replace.
    pub(crate) others: &'a Others,
}
