//! The tuning database: what was measured for executables, and what won.
//!
//! A database is one SQLite file. It holds **winners**, at most one for each [`Subject`] (content of an executable, target,
//! machine), and all **trials** that led to them, so that a search continues where it stopped and measures no candidate twice.
//!
//! - Several processes may write at once: each change is a transaction. A killed writer leaves no part of one.
//! - What is read is checked: the file must be a database of this version with exactly its tables, each row carries a checksum,
//!   and what it says must be well-formed. Whether a winner fits an executable is for its user to check.
//! - [`Database::hash`] identifies all that a compilation can take from it, whatever the layout of the file.
//!
//! Nothing here knows MLIR, and there is no clock.

mod check;
mod database;
mod digest;
mod failure;
mod interval;
mod lines;
mod merge;
mod prune;
mod reading;
mod row;
mod schema;
mod snapshot;
mod subject;
mod trial;
mod trials;
mod winner;
mod winners;

pub use database::Database;
pub use interval::Interval;
pub use merge::Merged;
pub use prune::{Prune, Pruned};
pub use row::DamagedRow;
pub use snapshot::WinnerSnapshot;
pub use subject::{Subject, machine, machines};
pub use trial::{Trial, TrialOutcome};
pub use winner::{TunedCode, Winner};
