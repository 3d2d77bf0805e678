//! Reports what a process was doing when it crashed, hung or ended: kernels by name, with workgroup and binding.
//!
//! Each thread that runs kernels notes them on a [`board`], at the cost of a few stores for many workgroups. The
//! [crash handler](install) reads the note of its own thread and leaves a [`Crash`]. A process that [shared](share)
//! the board before it forked reads both after its child has ended, however that happened.

mod board;
mod handler;
mod labels;
mod machine;
mod report;
mod texts;

pub(crate) use board::{Access, Workgroup, doing, with_slot};
pub use board::{ThreadActivity, ended, finished, running, share};
pub use handler::{crash, install};
pub(crate) use labels::label;
pub use report::Crash;
pub(crate) use report::{Place, overrun};
pub(crate) use texts::Label;
