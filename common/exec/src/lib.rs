//! The world outside: job slots, child processes, scratch folders.
//!
//! - [`Slots`]: how many things run at once; shares the job server of `make -j` where there is one.
//! - [`parallel_map`]: runs a function on many items under such slots; results come in input order.
//! - [`Tool`]: an external program: found, called with a deadline, its failure reported with what it said.
//! - [`Scratch`]: a temporary folder that goes away, also when a signal ends the process.

mod cleanup;
mod map;
mod scratch;
mod slots;
mod tool;

pub use map::parallel_map;
pub use scratch::Scratch;
pub use slots::{Slot, Slots};
pub use tool::{Call, Finished, Tool};
