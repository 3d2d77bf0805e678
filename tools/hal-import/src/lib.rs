//! `hal-import`: imports a model and forms executables.
//!
//! [`frontend`] reads MLIR or ONNX and lowers it to functions on tensors (phase `input`); [`weights`] moves large
//! constants out of the text; [`constants`] computes what depends on them alone; [`dispatch`] cuts the functions into executables and a host program (phase
//! `executables`).

mod args;
mod cached;
mod constants;
pub mod dispatch;
mod external;
pub mod frontend;
mod history;
mod hooks;
mod obsolete;
pub mod onnx;
mod onnx_ops;
mod pipelines;
mod run;
mod sizes;
mod specialize;
mod state;
mod weight_args;
pub mod weights;

pub use args::{Bounds, BoundsArgs, ImportArgs, ImportPhase, InputArgs, OnnxArgs, Strings};
pub use cached::import_cached;
pub use history::ImportHistory;
pub use hooks::Hooks;
pub use obsolete::{FastMathArgs, LayoutArgs};
pub use pipelines::ImportPipelines;
pub use run::{ImportRequest, ImportedProgram, import, onnx_flag, run};
pub use sizes::DimArgs;
pub use state::{StateArgs, StateRule};
pub use weight_args::{WeightArgs, WeightsPlace};

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main::<ImportArgs>(run)
}
