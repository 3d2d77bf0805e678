//! Loads linked Halyard programs and runs them. No LLVM and no MLIR here.
//!
//! ```no_run
//! # use halyard_runtime::{Instance, Options, Program, Tensor};
//! let program = Program::load("mlp.so".as_ref())?;
//! let mut instance = Instance::new(&program, Options::default())?;
//! let outputs = instance.call("main", &[Tensor::from_slice(&[1, 2], &[1.0f32, 2.0])])?;
//! # Ok::<(), halyard_diag::Error>(())
//! ```

mod dtype;
mod info;
mod instance;
mod memory;
mod program;
mod record;
mod tensor;

pub use dtype::DType;
pub use half::{bf16, f16};
pub use info::{FunctionInfo, KernelInfo, TensorSpec, shape_text};
pub use instance::{Instance, Options};
pub use memory::{ALIGNMENT, AlignedBytes};
pub use program::Program;
pub use record::{CapturedDispatch, DispatchRecord};
pub use tensor::{Element, Tensor};
