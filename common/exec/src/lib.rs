//! Job slots, child processes, scratch folders.
//!
//! - [`Slots`]: how many things run at once; shares the job server of `make -j` where there is one, and lends one to
//!   children.
//! - [`parallel_map`]: runs a function on many items under such slots; results come in input order.
//! - [`Tool`], [`Call`]: an external program: found, called with limits on time and memory, its failure reported with
//!   what it said. Nothing is left of it: not its children, nor processes that it put into the background.
//! - [`Coprocess`]: a child that answers questions for as long as it is needed.
//! - [`Cancel`]: calls work off that is running.
//! - [`isolated`]: work that may crash, done in forks of this process.
//! - [`Scratch`]: a temporary folder that goes away, also when a signal ends the process.

mod call;
mod cancel;
mod cleanup;
mod coprocess;
mod exit_outcome;
mod guard;
mod interrupt;
mod isolate;
mod jobs;
mod map;
mod scratch;
mod slots;
mod supervise;
mod tail;
mod tool;

pub use call::{Begun, Call, Finished, OUTPUT, TAIL};
pub use cancel::Cancel;
pub use coprocess::Coprocess;
pub use exit_outcome::ExitOutcome;
pub(crate) use exit_outcome::signal_name;
pub use interrupt::Interrupt;
pub use isolate::{EXIT_GAVE_UP, EXIT_MEMORY, How, ItemOutcome, Limits, Loss, isolated, naming_crashes};
pub use map::{parallel_map, parallel_map_in};
pub use scratch::Scratch;
pub use slots::{Slot, Slots};
pub use tail::Tail;
pub use tool::Tool;
