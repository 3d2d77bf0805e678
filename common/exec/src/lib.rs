//! Job slots, child processes, scratch folders.
//!
//! - [`Slots`]: the limit on what runs at once; shares the job server of `make -j` if there is one, and provides one
//!   to children.
//! - [`parallel_map`]: runs a function on many items under such slots; results come in input order.
//! - [`Tool`], [`Call`]: an external program, called with limits on time and memory; a failure is reported with its
//!   output. No process of it survives: neither its children nor those that it put into the background.
//! - [`Coprocess`]: a child that answers questions for as long as it is needed.
//! - [`Cancel`]: cancels running work.
//! - [`isolated`]: runs work that may crash in forks of this process.
//! - [`launch`]: sends self-contained jobs through a launcher, such as `srun -Q -n1`, or to a server that executes.
//! - [`Scratch`]: a temporary folder that is removed, also when a signal ends the process.

/// The hint where the system starts no further process.
pub(crate) const MORE_PROCESSES: &str = "`ulimit -u` shows the limit of processes; end some, or run fewer jobs (`-j`)";

mod call;
mod cancel;
mod cleanup;
mod coprocess;
mod exit_outcome;
mod guard;
mod interrupt;
mod isolate;
mod jobs;
mod launch;
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
pub use isolate::{
    EXIT_GAVE_UP, EXIT_MEMORY, How, ItemOutcome, Limits, Loss, isolated, isolated_each, isolated_noting_slow,
    naming_crashes, set_memory_release,
};
pub use launch::{
    ExecutionServer, ExecutorFile, ExecutorReply, ExecutorRequest, ExecutorSetup, LaunchAttempt, Launched,
    LaunchedItem, LaunchedWork, Launcher, Refusal, launch, serve_launched,
};
pub use map::{parallel_map, parallel_map_in};
pub use scratch::Scratch;
pub use slots::{Slot, Slots};
pub use tail::Tail;
pub use tool::Tool;
