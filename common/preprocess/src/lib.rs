//! Preprocessing: commands and stages that transform the model, the program, its executables or objects during
//! compilation.
//!
//! [`Preprocess`] holds the actions that the flags request, checked before anything runs. Each reply is parsed,
//! verified and compared with the input; results are applied in the order of the program, all or none.
//! docs/preprocessing.md describes the protocol.

mod action;
mod answers;
mod args;
mod calls;
mod check;
mod compiled_in;
mod contained;
mod executables;
mod generate;
mod gpu;
mod hook;
mod kept;
mod objects;
mod placed;
mod program;
mod purity;
mod request;
mod run;
mod task;
mod turn;

pub use action::{Action, Command, Native, NativeFn};
pub use args::PreprocessArgs;
pub use check::check;
pub use compiled_in::CompiledIn;
pub use generate::{Generation, generate};
pub use hook::Hook;
pub use purity::Purity;
pub use run::{Converted, Preprocess};
pub use task::Task;

use calls::Caller;
use kept::Kept;
use request::Request;
