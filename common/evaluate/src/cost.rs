//! What it costs to compute an operation, by its types.
use crate::{lane, type_of};
use halyard_ir::{Op, Structured, Type, is_contraction};
use halyard_scalars::ScalarOp;

/// The work of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// How often it computes a scalar; functions count as several.
    pub work: u64,
    /// How long that takes here, relative to a multiplication in a matrix product.
    pub time: u64,
    /// Whether it computes anything: what only moves elements, repeats them or makes them all the same does not.
    pub computes: bool,
}

/// The time of an operation outside of matrix products.
const INTERPRETED: u64 = 16;
/// The most elements of a result, unless they are all the same: their bits take eight bytes each.
const MOST_ELEMENTS: u64 = 1 << 24;
/// The work of a function such as `math.exp`, in simple operations.
const FUNCTION: u64 = 16;

/// What an operation costs; `None` if [`crate::evaluate`] has no chance: unknown sizes, types or operations, or too many elements.
///
/// Operations that make narrow numbers wider are left to the run: kernels read weights as narrow as they are stored.
pub fn cost(op: Op) -> Option<Cost> {
    let name = op.name();
    let mut elements = 0;
    for result in op.results() {
        let (_, shape) = type_of(result.ty())?;
        elements += shape.iter().try_fold(1u64, |n, size| n.checked_mul(*size as u64))?;
    }
    let same = ["tensor.empty", "tensor.splat", "linalg.fill"].contains(&&*name);
    if op.result_count() == 0 || widens(op) || !same && elements > MOST_ELEMENTS {
        return None;
    }
    if name.starts_with("tensor.") {
        let moves = match &*name {
            "tensor.pad" => crate::movement::padding(op).is_some(),
            "tensor.empty"
            | "tensor.expand_shape"
            | "tensor.collapse_shape"
            | "tensor.cast"
            | "tensor.splat"
            | "tensor.from_elements"
            | "tensor.extract"
            | "tensor.extract_slice"
            | "tensor.insert_slice"
            | "tensor.concat" => true,
            _ => false,
        };
        return moves.then_some(Cost { work: elements, time: elements.checked_mul(INTERPRETED)?, computes: false });
    }
    if !name.starts_with("linalg.") {
        let work = scalar(ScalarOp::of(op, &name)?).checked_mul(elements)?;
        return Some(Cost { work, time: work.checked_mul(INTERPRETED)?, computes: !name.ends_with(".constant") });
    }
    let structured = Structured::of(op)?;
    let iterations = iterations(op, &structured)?;
    let (mut each, mut computes) = (1, false);
    for inner in op.body()?.ops().iter().filter(|inner| !inner.is("linalg.yield")) {
        match &*inner.name() {
            "linalg.index" | "arith.constant" => {}
            "tensor.extract" => {
                each += 1;
                computes = true;
            }
            name => {
                each += scalar(ScalarOp::of(*inner, name)?);
                computes = true;
            }
        }
    }
    let product = is_contraction(op) || name.starts_with("linalg.conv");
    let each = if product { 1 } else { each };
    let work = iterations.checked_mul(each)?;
    // A splat costs nothing, whatever its size.
    let time = if same { 1 } else { work.checked_mul(if product { 1 } else { INTERPRETED })? };
    Some(Cost { work, time, computes })
}

fn scalar(op: ScalarOp) -> u64 {
    match op {
        ScalarOp::Unary(unary) if lane::function(unary).is_some() => FUNCTION,
        ScalarOp::Binary(halyard_runtime::commands::Binary::PowF | halyard_runtime::commands::Binary::Atan2) => {
            FUNCTION
        }
        _ => 1,
    }
}

/// Whether a result has wider elements than a tensor of narrow ones that it is made of.
fn widens(op: Op) -> bool {
    let bits = |ty: Type| if ty.is_tensor() { ty.element().bits() } else { 64 };
    let narrow = op.operands().into_iter().map(|v| bits(v.ty())).filter(|bits| (2..=16).contains(bits)).min();
    narrow.is_some_and(|narrow| op.results().into_iter().any(|r| bits(r.ty()) > narrow))
}

/// How often the body of a linalg operation runs.
fn iterations(op: Op, structured: &Structured) -> Option<u64> {
    let mut extents = vec![None; structured.loops()];
    for (map, value) in structured.maps.iter().zip(op.operands()) {
        let (_, shape) = type_of(value.ty())?;
        for (expr, size) in map.results().iter().zip(shape) {
            if let halyard_ir::AffineKind::Dim(d) = expr {
                extents[*d] = Some(size as u64);
            }
        }
    }
    extents.into_iter().try_fold(1u64, |n, size| n.checked_mul(size?))
}
