//! The current kernel of an executable.
use crate::build::Built;

/// A subject with its current kernel.
pub(crate) struct Incumbent {
    pub(crate) built: Built,
    /// Seconds of a call.
    pub(crate) seconds: f64,
    /// Whether the program chose its schedule, not the compiler.
    pub(crate) has_schedule: bool,
}
