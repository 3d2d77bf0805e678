//! The result of lowering an export.
use crate::schedule::SentSchedule;
use halyard_diag::Diagnostic;
use halyard_ir::{Module, Op, form::PackedWeight};
use std::time::Duration;

/// An export at the end of its pipeline, with what its target has to know of it.
pub(crate) struct Lowered<'s, D> {
    /// A module that holds it.
    pub module: Module<'s>,
    /// The function `@EXPORT_workgroups`, in no block.
    pub workgroups: Op,
    /// A description of how it was lowered, and why.
    pub explanation: String,
    /// The weights that its kernel takes packed.
    pub packed: Vec<PackedWeight>,
    /// The choices that were made, if its kernel has a schedule.
    pub schedule: Option<SentSchedule>,
    /// Warnings about the export.
    pub warnings: Vec<Diagnostic>,
    /// Time from tensors to loops or vectors.
    pub generate: Duration,
    /// Time from there to the end of the pipeline.
    pub lower: Duration,
    /// Further results, specific to the target.
    pub details: D,
}
