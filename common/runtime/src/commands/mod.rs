//! The host program in its linked form: host commands as structured data.
//!
//! `hal-link` writes it, [`crate::LoadedProgram`] reads and validates it, [`crate::Instance`] interprets it. It is plain data;
//! [`encode`] and [`decode`] are its file format (section `.hal.program`).
//!
//! The abstract machine: *registers* hold scalars of 64 bits each (see [`ScalarType`]); *buffers* hold tensors, and
//! are named by a [`Base`]. Control flow is structured. There are no calls: the linker inlines functions.
mod code;
mod data;
mod format;
mod host;
mod inst;
mod kernel;
mod operand;
mod scalar;
#[cfg(test)]
mod tests;
mod validate;
mod weight;
mod work;

pub use code::{CodeFormat, ConstantWidth, DeviceArgument, DeviceCode, KernelCode};
pub use data::{Archive, ArchivePlace, Constant, ConstantData, Initial, State};
pub use format::{FORMAT_VERSION, decode, encode};
pub use host::{HostFunction, HostInput, HostPlace, HostResult, HostType};
pub use inst::{Inst, MessageValue};
pub use kernel::{BindingSize, BindingType, Kernel, KernelVariant, WorkgroupCount};
pub use operand::{Base, Buffer, Operand, Register};
pub use scalar::{Binary, Compare, ScalarInst, ScalarType, Unary, evaluate};
pub(crate) use validate::validate;
pub use weight::{PackedBinding, WeightForm, WeightForms};
pub use work::{KernelWork, WorkTerm};

use crate::FunctionInfo;
use halyard_diag::Result;
use serde::{Deserialize, Serialize};

/// Reads the section of a linked program and checks it, as far as that can be done without the rest of the file. Errors: what
/// [`decode`] says, an index of nothing, a dispatch that its kernel does not fit.
pub fn check(bytes: &[u8]) -> Result<()> {
    validate(&decode(bytes)?)
}

/// The place of a static transient in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transient {
    /// Its start in the arena, a multiple of 64.
    pub offset: u64,
    /// The size in bytes.
    pub bytes: u64,
}

/// The way an output gets its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutputSource {
    /// The host commands write [`Base::Output`]; the shape is static.
    Written,
    /// It is copied when the call ends, because its shape is known only then.
    Copied {
        /// The buffer to copy from.
        source: Buffer,
        /// The sizes of the dimensions.
        dims: Vec<Operand>,
    },
}

/// A public function of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// The name and the signature.
    pub info: FunctionInfo,
    /// The number of registers.
    pub registers: u32,
    /// The number of slots.
    pub slots: u32,
    /// The size of the arena in bytes.
    pub arena: u64,
    /// The transients of static size.
    pub transients: Vec<Transient>,
    /// Registers that start as the size of a dimension of an input: (input, dimension, register).
    pub input_dims: Vec<(u32, u32, Register)>,
    /// Its commands, in order.
    pub body: Vec<Inst>,
    /// The source of each output.
    pub outputs: Vec<OutputSource>,
}

/// A function that kernels import from a kernel library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelImport {
    /// The symbol name.
    pub name: String,
    /// The executables that call it.
    pub needed_by: Vec<String>,
}

/// A whole host program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct HostProgram {
    /// The functions that can be called.
    pub functions: Vec<Function>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// The constants.
    pub constants: Vec<Constant>,
    /// The weights that variants of kernels take in different forms.
    pub weights: Vec<WeightForms>,
    /// The states.
    pub states: Vec<State>,
    /// The weight archives.
    pub archives: Vec<Archive>,
    /// The functions that kernels import from kernel libraries.
    pub imports: Vec<KernelImport>,
    /// The host functions that it calls.
    pub host_functions: Vec<HostFunction>,
    /// Functions that do not check indices and divisors that are data (`hal.bounds = "trust"`).
    pub trusting: Vec<String>,
}
