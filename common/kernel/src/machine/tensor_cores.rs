//! Tensor cores: fragments of matrices in the registers of a warp.
//!
//! Whatever the type, a fragment of the rows is 16 rows of 32 bytes in four registers, one of the columns 8 columns of 32 bytes
//! in two: matrices of 8 lines of 16 bytes, of which lane `n` has bytes `4 (n % 4)` to `4 (n % 4) + 3` of line `n / 4`.
use crate::emit::ir_builder::IrBuilder;
use halyard_ir::{Type, Value};
use std::fmt;

/// The numbers that tensor cores multiply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cores {
    /// How they stand in shared memory.
    pub(crate) elem: Type,
    /// The formats of the rows and of the columns.
    pub(crate) formats: [Factor; 2],
    /// What multiplies them.
    pub(crate) instructions: &'static dyn TensorCores,
}

/// The format of a number that tensor cores multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Factor {
    /// `f16`, added up in `f32`.
    Half,
    /// `bf16`, added up in `f32`.
    Brain,
    /// `f32`, of which 10 bits of mantissa are multiplied.
    Tf32,
    /// Signed bytes, added up in `i32`.
    Signed,
    /// Unsigned bytes, added up in `i32`.
    Unsigned,
}

impl Cores {
    /// The bytes of an element.
    pub(crate) fn bytes(self) -> i64 {
        self.elem.byte_width() as i64
    }

    /// The elements of 16 bytes, which a thread copies at once.
    pub(crate) fn run(self) -> i64 {
        16 / self.bytes()
    }

    /// The depth of a fragment.
    pub(crate) fn step(self) -> i64 {
        32 / self.bytes()
    }

    /// The elements of a register of a fragment.
    pub(crate) fn per_word(self) -> i64 {
        4 / self.bytes()
    }
}

/// The instructions of tensor cores, and those that bring what they multiply.
pub(crate) trait TensorCores: fmt::Debug + Sync {
    /// Loads four matrices from shared memory as words of 32 bits. Lane `n` gives the place of line `n % 8` of matrix `n / 8`. A
    /// transposed matrix is of elements of 16 bits.
    fn load_matrices(&self, code: &IrBuilder, place: Value, transposed: bool) -> [Value; 4];

    /// A word of an `f32`, rounded to the nearest `tf32`.
    fn as_tf32(&self, code: &IrBuilder, word: Value) -> Value;

    /// Adds the product of a fragment of rows (four words) and one of columns (two words) to four sums of a lane.
    fn multiply(&self, code: &IrBuilder, cores: Cores, factors: [&[Value]; 2], sums: &[Value; 4]) -> [Value; 4];

    /// Begins to copy 16 bytes of memory (a pointer in address space 1) to shared memory. With `bytes`, so many of them, and zeros for the others.
    fn begin_copy(&self, code: &IrBuilder, target: Value, source: Value, bytes: Option<Value>);

    /// Makes the copies that this thread began since the last call a group.
    fn close_copies(&self, code: &IrBuilder);

    /// Waits until all groups of copies of this thread but the youngest `left` are there.
    fn wait_for_copies(&self, code: &IrBuilder, left: i64);
}
