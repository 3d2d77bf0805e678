//! Operands of host commands.
use serde::{Deserialize, Serialize};

/// A register of the current call.
pub type Register = u32;

/// A scalar operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// An immediate value.
    Immediate(u64),
}

/// The memory that a buffer is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Base {
    /// A transient of static size, an index in [`super::Function::transients`].
    Transient(u32),
    /// A transient whose size is known at run time only, counted; an index below [`super::Function::slots`].
    Slot(u32),
    /// An input of the function. Never written.
    Input(u32),
    /// An output of static shape.
    Output(u32),
    /// A constant of the program. Never written.
    Constant(u32),
    /// A weight, an index in [`super::HostProgram::weights`]: all of it, in the form that the variant takes. Only kernels read it. The loader
    /// replaces it by a constant when it has chosen the variants; its bytes are 0 until then.
    Weight(u32),
}

/// A range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// The memory that it is part of.
    pub base: Base,
    /// The offset in bytes.
    pub offset: Operand,
    /// The size in bytes.
    pub bytes: Operand,
}
