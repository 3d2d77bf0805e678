//! The host program in its linked form: a structured schedule.
//!
//! `hal-link` writes it, [`crate::LoadedProgram`] reads and validates it, [`crate::Instance`] interprets it. It is plain data;
//! [`encode`] and [`decode`] are its file format (section `.hal.program`).
//!
//! The machine it runs on: *registers* hold scalars, 64 bits each (see [`ScalarType`]); *buffers* hold tensors, and are
//! named by a [`Base`]. Control flow is structured. There are no calls: the linker inlines functions.

mod code;
mod format;
mod host;
mod kernel;
mod scalar;
#[cfg(test)]
mod tests;
mod validate;

pub use code::{CodeFormat, ConstantWidth, DeviceCode, KernelCode};
pub use format::{FORMAT_VERSION, decode, encode};
pub use host::{HostFunction, HostInput, HostPlace, HostResult, HostType};
pub use kernel::{Kernel, KernelVariant, WorkgroupCount};
pub use scalar::{Binary, Compare, ScalarInst, ScalarType, Unary, evaluate};
pub(crate) use validate::validate;

use crate::{DType, FunctionInfo, TensorSpec};
use halyard_diag::Result;
use serde::{Deserialize, Serialize};

/// Reads the section of a linked program and checks it, as far as that can be done without the rest of the file. Errors: what
/// [`decode`] says, an index of nothing, a dispatch that its kernel does not fit.
pub fn check(bytes: &[u8]) -> Result<()> {
    validate(&decode(bytes)?)
}

/// A register of the current call.
pub type Register = u32;

/// Where a scalar comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// A value.
    Immediate(u64),
}

/// The memory that a buffer is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Base {
    /// A transient of static size, an index in [`Function::transients`].
    Transient(u32),
    /// A transient whose size is known at run time only, counted; an index below [`Function::slots`].
    Slot(u32),
    /// An input of the function. Never written.
    Input(u32),
    /// An output of static shape.
    Output(u32),
    /// A constant of the program. Never written.
    Constant(u32),
}

/// A range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// Of what.
    pub base: Base,
    /// Where it starts, in bytes.
    pub offset: Operand,
    /// How long it is, in bytes.
    pub bytes: Operand,
}

/// One step of the host program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Inst {
    /// Scalar arithmetic.
    Scalar(ScalarInst),
    /// Runs a kernel over its workgroups.
    Dispatch {
        /// An index in [`HostProgram::kernels`].
        kernel: u32,
        /// One per binding.
        bindings: Vec<Buffer>,
        /// One per constant, as the kernel gets them.
        constants: Vec<Operand>,
    },
    /// Copies bytes between buffers of one length that do not overlap.
    Copy {
        /// From.
        source: Buffer,
        /// To.
        target: Buffer,
    },
    /// Sets all elements.
    Fill {
        /// What.
        target: Buffer,
        /// The bits of an element.
        value: Operand,
        /// The bytes of an element: 1, 2, 4 or 8.
        width: u8,
    },
    /// Gives a slot memory of its own, undefined contents; releases what it held.
    Allocate {
        /// Which.
        slot: u32,
        /// How much.
        bytes: Operand,
    },
    /// Lets a slot stand for a part of another buffer, which is kept alive.
    View {
        /// Which.
        slot: u32,
        /// Of what.
        source: Buffer,
    },
    /// Makes sure that a slot is the only one of its memory, so that it may be written: copies it otherwise.
    Own {
        /// Which.
        slot: u32,
    },
    /// Releases what a slot holds.
    Release {
        /// Which.
        slot: u32,
    },
    /// Reads an element.
    Load {
        /// Its type.
        ty: ScalarType,
        /// Where to.
        target: Register,
        /// From where.
        source: Buffer,
        /// Which element, row-major.
        index: Operand,
    },
    /// Writes an element.
    Store {
        /// Its type.
        ty: ScalarType,
        /// What.
        value: Operand,
        /// Where to.
        target: Buffer,
        /// Which element, row-major.
        index: Operand,
    },
    /// Either or.
    If {
        /// Not 0.
        condition: Operand,
        /// If so.
        then: Vec<Inst>,
        /// If not.
        otherwise: Vec<Inst>,
    },
    /// Counts from `lower` up to but without `upper`.
    For {
        /// The register that counts.
        counter: Register,
        /// The first value.
        lower: Operand,
        /// The end.
        upper: Operand,
        /// Must be positive.
        step: Operand,
        /// How the bounds are compared: as signed or unsigned 64-bit numbers.
        unsigned: bool,
        /// What is repeated.
        body: Vec<Inst>,
    },
    /// Runs `before`, then ends unless `condition` holds, then runs `after`, and so on.
    While {
        /// First.
        before: Vec<Inst>,
        /// Not 0, evaluated after `before`.
        condition: Operand,
        /// Second.
        after: Vec<Inst>,
    },
    /// Fails the call unless the condition holds.
    Assert {
        /// Not 0.
        condition: Operand,
        /// What to say, a [`halyard_diag::Template`].
        message: String,
        /// What takes the places in it.
        values: Vec<MessageValue>,
    },
    /// Calls a function of a module or of the embedding application, on the thread that runs the program.
    Host {
        /// An index in [`HostProgram::host_functions`].
        function: u32,
        /// One per argument.
        inputs: Vec<HostInput>,
        /// One per result.
        results: Vec<HostResult>,
    },
    /// Lets a slot stand for what a state holds.
    LoadState {
        /// Which slot.
        slot: u32,
        /// An index in [`HostProgram::states`].
        state: u32,
        /// The registers that its sizes go to, one for each dimension whose size is not fixed.
        dims: Vec<Register>,
        /// The state is stored before it is loaded again, so that the slot has the memory for itself, and may be
        /// written in place.
        take: bool,
    },
    /// Lets a state hold a tensor: the memory of a slot itself, a copy of anything else.
    StoreState {
        /// An index in [`HostProgram::states`].
        state: u32,
        /// The tensor.
        source: Buffer,
        /// Its sizes.
        dims: Vec<Operand>,
    },
}

/// A value of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageValue {
    /// Where it comes from.
    pub value: Operand,
    /// Its type.
    pub ty: ScalarType,
    /// It is an integer without a sign.
    pub unsigned: bool,
}

/// The place of a static transient in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transient {
    /// Its start in the arena, a multiple of 64.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
}

/// How an output gets its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutputSource {
    /// The schedule writes [`Base::Output`]; the shape is static.
    Written,
    /// It is copied when the schedule ends, because its shape is known only then.
    Copied {
        /// From where.
        source: Buffer,
        /// The sizes of the dimensions.
        dims: Vec<Operand>,
    },
}

/// A function that can be called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its signature.
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
    /// What it does.
    pub body: Vec<Inst>,
    /// One per output.
    pub outputs: Vec<OutputSource>,
}

/// Where the bytes of a constant are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConstantData {
    /// One element, repeated.
    Splat(Vec<u8>),
    /// In the section `.hal.constants`, from this offset, a multiple of 64.
    Inline(u64),
    /// In a weight archive.
    Archived {
        /// An index in [`HostProgram::archives`].
        archive: u32,
        /// The tensor's name in it.
        key: String,
    },
    /// In a file of any kind.
    Piece {
        /// An index in [`HostProgram::archives`].
        archive: u32,
        /// Where it starts, in bytes.
        offset: u64,
    },
}

/// A constant tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constant {
    /// The element type.
    pub dtype: DType,
    /// The shape.
    pub shape: Vec<u64>,
    /// The value.
    pub data: ConstantData,
}

impl Constant {
    /// The bytes that it takes when expanded; `None` if more than fit the address space.
    pub fn byte_count(&self) -> Option<u64> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape
            .iter()
            .try_fold(self.dtype.size() as u64, |n, &d| n.checked_mul(d))
            .filter(|&n| i64::try_from(n).is_ok())
    }
}

/// A state of the program: a mutable global, of which each instance has its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Its name and type; sizes that are any change from call to call.
    pub spec: TensorSpec,
    /// What it holds before the first call.
    pub initial: Initial,
}

/// The initial value of a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Initial {
    /// Zeros, so many in each dimension.
    Zeros(Vec<u64>),
    /// A constant, an index in [`HostProgram::constants`].
    Constant(u32),
}

/// A file with weights beside the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    /// Its file name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The BLAKE3 hash of its header (the length word and the JSON) if it is a safetensors file whose tensors are known by their
    /// names; `None` if only pieces of it are used.
    pub header: Option<[u8; 32]>,
    /// A hash of some places of it, see [`crate::samples`].
    pub samples: [u8; 32],
    /// The BLAKE3 hash of the whole file, for a full check.
    pub content: [u8; 32],
}

/// A function that kernels import from a kernel library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelImport {
    /// Its symbol.
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
    /// The states.
    pub states: Vec<State>,
    /// The weight archives.
    pub archives: Vec<Archive>,
    /// What plugins must provide.
    pub imports: Vec<KernelImport>,
    /// What modules must provide.
    pub host_functions: Vec<HostFunction>,
    /// Functions that do not check indices and divisors that are data (`hal.bounds = "trust"`).
    pub trusting: Vec<String>,
}
