//! Lowered values of the host program.
use halyard_ir::{Type, Value};
use halyard_runtime::{
    DType,
    commands::{Base, Operand, ScalarType},
};

/// A lowered value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Val {
    /// A scalar.
    Scalar(Operand),
    /// A tensor.
    Tensor(TensorVal),
}

/// A dense row-major tensor in memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TensorVal {
    pub(crate) base: Base,
    /// The offset in its base, in bytes.
    pub(crate) offset: Operand,
    pub(crate) dims: Vec<Operand>,
    pub(crate) dtype: DType,
    /// Whether nothing has been written to it, so that copies of it may be omitted.
    pub(crate) undefined: bool,
}

impl TensorVal {
    /// Whether two tensors start at the same address.
    pub(crate) fn same_place(&self, other: &Self) -> bool {
        self.base == other.base && self.offset == other.offset
    }
}

/// A value that is known at link time.
pub(crate) const fn imm(value: u64) -> Operand {
    Operand::Immediate(value)
}

/// The value of an operand, if it is known.
pub(crate) fn known(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Immediate(v) => Some(v),
        Operand::Register(_) => None,
    }
}

/// The element type of tensors of an MLIR type; `None` if tensors of it are not supported.
pub(crate) fn dtype_of(element: Type) -> Option<DType> {
    if element.is_index() {
        return Some(DType::I64);
    }
    let text = element.to_string();
    // `si8` is what others call `i8`.
    text.strip_prefix('s').unwrap_or(&text).replace("ui", "u").parse().ok()
}

/// The scalar type of a tensor's elements.
pub(crate) fn element_of(dtype: DType) -> ScalarType {
    match dtype {
        DType::F32 => ScalarType::F32,
        DType::F64 => ScalarType::F64,
        DType::F16 => ScalarType::F16,
        DType::Bf16 => ScalarType::Bf16,
        DType::I1 => ScalarType::Int(1),
        DType::I8 | DType::U8 => ScalarType::Int(8),
        DType::I16 | DType::U16 => ScalarType::Int(16),
        DType::I32 | DType::U32 => ScalarType::Int(32),
        DType::I64 | DType::U64 => ScalarType::Int(64),
    }
}

/// Returns the block that defines a value.
pub(crate) fn block_of(value: Value) -> Option<halyard_ir::Block> {
    match value.def() {
        Some(op) => op.block(),
        None => value.argument_block(),
    }
}
