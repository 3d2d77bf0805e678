//! The current kernel of an executable.
use crate::build::Built;
use halyard_verify::Contest;

/// A subject with its current kernel.
pub(crate) struct Incumbent {
    pub(crate) built: Built,
    /// What others need to compete with it.
    pub(crate) contest: Contest,
    /// Seconds of a call.
    pub(crate) seconds: f64,
    /// Whether the program chose its schedule, not the compiler.
    pub(crate) has_schedule: bool,
}
