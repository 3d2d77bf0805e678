//! Sizes of tensors as far as they can be told apart: two that are equal here are equal in every run.
use crate::dispatch::carried::start_of;
use halyard_ir::{Attr, Structured, Value};

/// A size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Size {
    /// A number.
    Known(i64),
    /// An `index` of the program.
    Value(Value),
    /// That of a dimension of a tensor.
    Dim(Value, usize),
}

impl Size {
    /// The size of a dimension, traced back to where it comes from.
    pub(super) fn of(tensor: Value, dimension: usize) -> Self {
        let mut tensor = tensor;
        loop {
            if let Some(known) = tensor.ty().shape()[dimension] {
                return Self::Known(known);
            }
            match step(tensor, dimension) {
                Step::Same(value) if value.ty().is_ranked_tensor() && value.ty().rank() > dimension => tensor = value,
                Step::Index(value) => return Self::from(value),
                _ => return Self::Dim(tensor, dimension),
            }
        }
    }

    pub(super) fn known(self) -> Option<i64> {
        if let Self::Known(n) = self { Some(n) } else { None }
    }
}

impl From<Value> for Size {
    /// What an `index` says.
    fn from(value: Value) -> Self {
        let Some(def) = value.def() else { return Self::Value(value) };
        match &*def.name() {
            "arith.constant" => def.attr("value").and_then(Attr::as_int).map_or(Self::Value(value), Self::Known),
            "tensor.dim" => {
                let dimension = def.operand(1).def().and_then(|d| d.attr("value")).and_then(Attr::as_int);
                let rank = def.operand(0).ty().is_ranked_tensor().then(|| def.operand(0).ty().rank());
                match (dimension.and_then(|d| usize::try_from(d).ok()), rank) {
                    (Some(d), Some(rank)) if d < rank => Self::of(def.operand(0), d),
                    _ => Self::Value(value),
                }
            }
            // There and back again, as ONNX's sizes go.
            "arith.index_cast" => match def.operand(0).def().filter(|d| d.is("arith.index_cast")) {
                Some(inner) if inner.operand(0).ty() == value.ty() && def.operand(0).ty().bits() == 64 => {
                    Self::from(inner.operand(0))
                }
                _ => Self::Value(value),
            },
            _ => Self::Value(value),
        }
    }
}

enum Step {
    /// That of the same dimension of another tensor.
    Same(Value),
    Index(Value),
    Unknown,
}

/// Which operand says the size of a dimension of a tensor.
fn step(tensor: Value, dimension: usize) -> Step {
    let Some(op) = tensor.def() else { return start_of(tensor).map_or(Step::Unknown, Step::Same) };
    let nth = |first: usize| {
        let before = tensor.ty().shape()[..dimension].iter().filter(|s| s.is_none()).count();
        Step::Index(op.operand(first + before))
    };
    match &*op.name() {
        "tensor.empty" | "tensor.generate" => nth(0),
        "tensor.splat" => nth(1),
        "tensor.expand_shape" => nth(1),
        "tensor.cast" => Step::Same(op.operand(0)),
        "tensor.insert" | "tensor.insert_slice" => Step::Same(op.operand(1)),
        "tensor.concat" if op.attr("dim").and_then(Attr::as_int) != i64::try_from(dimension).ok() => {
            Step::Same(op.operand(0))
        }
        "scf.for" | "scf.forall" => start_of(tensor).map_or(Step::Unknown, Step::Same),
        "tensor.extract_slice" if op.operand(0).ty().rank() == tensor.ty().rank() => {
            let sizes = op.attr("static_sizes").and_then(Attr::as_i64s).unwrap_or_default();
            let offsets = op.attr("static_offsets").and_then(Attr::as_i64s).unwrap_or_default();
            let dynamic = |list: &[i64]| list.iter().filter(|s| **s == i64::MIN).count();
            match sizes.get(dimension) {
                Some(&i64::MIN) => Step::Index(op.operand(1 + dynamic(&offsets) + dynamic(&sizes[..dimension]))),
                _ => Step::Unknown,
            }
        }
        name if name.starts_with("linalg.") => match Structured::of(op) {
            Some(structured) => Step::Same(op.operand(structured.inputs + tensor.index())),
            None => Step::Unknown,
        },
        _ => Step::Unknown,
    }
}
