//! Settings of new variants on the command line.
use crate::{GpuArgs, Workgroups, others::Others};
use halyard_ir::form::Phase;
use halyard_targets::Target;

/// The settings for all objects.
pub(crate) struct VariantSettings<'a> {
    pub(crate) phase: Phase,
    /// The targets of the program, if they are given.
    pub(crate) targets: &'a [Target],
    pub(crate) workgroups: &'a [Workgroups],
    /// The settings of GPU kernels.
    pub(crate) gpu: &'a GpuArgs,
    /// The kernels of the program that each file does not replace.
    pub(crate) others: &'a Others,
}
