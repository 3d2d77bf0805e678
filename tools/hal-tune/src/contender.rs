//! Kernels that compete, and how thoroughly they are timed.
use crate::{build::Built, candidate::KernelSource};
use halyard_verify::Effort;
use std::time::Duration;

/// At first: a few samples, given up soon.
pub(crate) const FIRST: Effort =
    Effort { samples: 5, time: Duration::from_millis(2), hopeless: 1.15, twin: false, hot: 64 };
/// Then, for promising ones, as many as tell a few per cent apart.
pub(crate) const SECOND: Effort =
    Effort { samples: 15, time: Duration::from_millis(15), hopeless: 1.1, twin: false, hot: 200 };
/// At the end, with a copy of the current kernel.
pub(crate) const LAST: Effort =
    Effort { samples: 60, time: Duration::from_millis(200), hopeless: 1.3, twin: true, hot: 0 };

/// A kernel that competes.
#[derive(Debug, Clone)]
pub(crate) struct Contender<'b> {
    pub(crate) built: &'b Built,
    pub(crate) source: KernelSource,
    /// Its whole schedule, for lines of trials.
    pub(crate) schedule: Option<String>,
}
