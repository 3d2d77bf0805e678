//! Determines whether a function writes to the memory of one of its arguments.
//!
//! Bufferization may let a function on tensors overwrite an argument. The host program, which sees only the function
//! on tensors, still reads it afterwards.
use halyard_ir::{Attr, Op, Value};

/// Whether the memory of a memref or pointer may be written. True if unknown.
pub(crate) fn may_write(value: Value) -> bool {
    let mut seen = Vec::new();
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        if seen.contains(&value) {
            continue;
        }
        seen.push(value);
        for (op, operand) in value.uses() {
            match effect(op, operand) {
                Effect::None => {}
                Effect::Alias => work.extend(op.results().into_iter().filter(|r| is_address(op, *r))),
                Effect::Write => return true,
            }
        }
    }
    false
}

/// Whether a result gives access to the memory: sizes and strides do not.
fn is_address(op: Op, result: Value) -> bool {
    let splits = matches!(&*op.name(), "llvm.extractvalue" | "memref.extract_strided_metadata");
    !(splits && (result.ty().is_integer() || result.ty().is_index()))
}

enum Effect {
    /// It is only read, or not accessed.
    None,
    /// The results alias the memory.
    Alias,
    /// It is written, or this is unknown.
    Write,
}

/// Whether a function that others implement promises not to write to an argument.
fn only_reads(call: Op, operand: usize) -> bool {
    let Some(name) = call.callee() else {
        return false;
    };
    let root = std::iter::successors(call.parent(), |op| op.parent()).last();
    let ops = root.map(Op::body_ops).unwrap_or_default();
    let declared = ops.into_iter().find(|op| op.symbol().as_deref() == Some(&*name) && op.body().is_none());
    let attrs = declared.and_then(|d| d.attr("arg_attrs")).and_then(Attr::as_array).unwrap_or_default();
    let access = attrs.get(operand).and_then(|a| a.get("bufferization.access")).and_then(Attr::as_string);
    matches!(access.as_deref(), Some("read" | "none"))
}

fn effect(op: Op, operand: usize) -> Effect {
    let name = op.name();
    match &*name {
        "memref.load"
        | "memref.dim"
        | "memref.rank"
        | "memref.dealloc"
        | "vector.load"
        | "vector.transfer_read"
        | "vector.maskedload"
        | "vector.gather"
        | "affine.load"
        | "affine.vector_load"
        | "memref.prefetch"
        | "memref.assume_alignment"
        | "llvm.load"
        | "llvm.intr.masked.load"
        | "llvm.intr.masked.gather"
        | "llvm.intr.assume"
        | "llvm.intr.prefetch"
        | "llvm.icmp" => {
            if op.result_count() == 1 && op.result(0).ty() == op.operand(operand).ty() {
                Effect::Alias
            } else {
                Effect::None
            }
        }
        "func.call" if only_reads(op, operand) => Effect::None,
        // Source, then target.
        "memref.copy" if operand == 0 => Effect::None,
        // Target, then source.
        "llvm.intr.memcpy" | "llvm.intr.memcpy.inline" | "llvm.intr.memmove" if operand == 1 => Effect::None,
        "memref.subview"
        | "memref.cast"
        | "memref.reinterpret_cast"
        | "memref.view"
        | "memref.collapse_shape"
        | "memref.expand_shape"
        | "memref.reshape"
        | "memref.transpose"
        | "memref.memory_space_cast"
        | "memref.extract_strided_metadata"
        | "memref.extract_aligned_pointer_as_index"
        | "memref.distinct_objects"
        | "builtin.unrealized_conversion_cast"
        | "llvm.getelementptr"
        | "llvm.insertvalue"
        | "llvm.extractvalue"
        | "llvm.bitcast"
        | "llvm.addrspacecast"
        | "llvm.ptrtoint"
        | "llvm.inttoptr"
        | "arith.index_cast"
        | "llvm.freeze"
        | "llvm.select"
        | "arith.select" => Effect::Alias,
        _ if name.starts_with("linalg.") && operand < inputs(op) => Effect::None,
        // Addresses as numbers.
        _ if name.starts_with("llvm.") && is_integer_arithmetic(op) => Effect::Alias,
        _ => Effect::Write,
    }
}

/// Returns the number of operands that a linalg operation only reads.
fn inputs(op: Op) -> usize {
    let segments = op.attr("operandSegmentSizes").and_then(halyard_ir::Attr::as_i64s).unwrap_or_default();
    segments.first().map_or(0, |&n| usize::try_from(n).unwrap_or(0))
}

fn is_integer_arithmetic(op: Op) -> bool {
    let integers = op.operands().iter().all(|v| v.ty().is_integer() || v.ty().is_index());
    integers && op.regions().is_empty() && op.result_count() == 1 && !op.has_attr("callee")
}
