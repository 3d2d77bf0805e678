//! What a process was doing when it crashed, hung or ended: kernels by name, with workgroup and binding.
//!
//! Each thread that runs kernels notes which one on a [`board`], which costs it a few stores for many workgroups. A
//! [handler](install) of crashes reads the note of its own thread and leaves a [`Crash`]; a process that has
//! [shared](share) the board before it forked reads both after its child has ended, however that happened.

mod board;
mod handler;
mod labels;
mod report;
mod texts;

pub(crate) use board::{Access, Workgroup, doing, with_slot};
pub use board::{ThreadActivity, ended, finished, running, share};
pub use handler::{crash, install};
pub(crate) use labels::label;
pub use report::Crash;
pub(crate) use report::{Place, overrun};
pub(crate) use texts::Label;
