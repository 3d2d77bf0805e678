//! Computes operations on constant tensors: those of linalg, on any element type that programs have, of `arith` and `math`
//! on tensors, and those that move elements.
//!
//! Each scalar operation rounds its result once, functions are computed in f64 by the crate `libm`, and sums of floats in f64:
//! results are the same on every machine, and at least as exact as those of a kernel. [`cost()`] says beforehand how much work it is.
mod array;
mod body;
mod cost;
mod lane;
mod movement;
mod nest;
mod product;
#[cfg(test)]
mod tests;

pub use array::Array;
pub use cost::cost;
pub use halyard_runtime::commands::ScalarType;

use body::Body;
use halyard_ir::{Op, Structured, Type, Value};
use halyard_scalars::{ScalarOp, scalar_of};
use nest::Nest;

/// What is known of a value: a scalar is an array without dimensions.
pub type Known<'a> = &'a mut dyn FnMut(Value) -> Option<Array>;

/// The results of an operation; `None` if an operand is not known, or the operation cannot be computed: an index out of range, a
/// division by zero, an operation inside of it that is not supported.
pub fn evaluate(op: Op, known: Known<'_>) -> Option<Vec<Array>> {
    let name = op.name();
    if name.starts_with("tensor.") {
        return movement::evaluate(op, &name, known).map(|array| vec![array]);
    }
    if name.starts_with("linalg.") {
        return nest(op, &Structured::of(op)?, known);
    }
    elementwise(op, &name, known).map(|array| vec![array])
}

/// A linalg operation.
fn nest(op: Op, structured: &Structured, known: Known<'_>) -> Option<Vec<Array>> {
    let operands: Vec<Array> = op.operands().into_iter().map(&mut *known).collect::<Option<_>>()?;
    for result in op.results() {
        type_of(result.ty())?;
    }
    let nest = Nest::of(structured, &operands)?;
    let body = Body::read(op.body()?, structured.inputs, nest.reductions().next().is_some(), known)?;
    match product::evaluate(&nest, &body, &operands) {
        Some(result) => Some(vec![result]),
        None => nest.run(&body, &operands),
    }
}

/// An operation of `arith` or `math` on scalars or tensors.
fn elementwise(op: Op, name: &str, known: Known<'_>) -> Option<Array> {
    let (_, shape) = type_of(op.results().first()?.ty())?;
    lanes_of(op, name, &shape, known)
}

/// What an operation of `arith` or `math` on scalars computes for `count` values of each operand at once, which are arrays of one
/// dimension; those that have one value for all may have none. `None`: as for [`evaluate`].
pub fn evaluate_scalars(op: Op, count: usize, known: Known<'_>) -> Option<Array> {
    lanes_of(op, &op.name(), &[count], known)
}

/// What an operation of `arith` or `math` computes for each element of a shape.
fn lanes_of(op: Op, name: &str, shape: &[usize], known: Known<'_>) -> Option<Array> {
    let operation = ScalarOp::of(op, name)?;
    let (ty, _) = type_of(op.results().first()?.ty())?;
    let operands: Vec<Array> = op.operands().into_iter().map(known).collect::<Option<_>>()?;
    let from = operands.first().map_or(ty, |array| array.ty);
    let lane = |at: usize| lane::apply(operation, ty, from, |i| operands[i].at(at));
    if operands.iter().all(|array| array.as_splat().is_some()) {
        return Some(Array::splat(ty, shape, lane(0)?));
    }
    let bits = (0..shape.iter().product()).map(lane).collect::<Option<_>>()?;
    Some(Array::new(ty, shape, bits))
}

/// The scalar type and the shape of a type; `None` if nothing is computed from such elements, as from integers with a sign of their own, or a size
/// is not known.
pub fn type_of(ty: Type) -> Option<(ScalarType, Vec<usize>)> {
    if !ty.is_tensor() {
        return Some((scalar_of(ty)?, Vec::new()));
    }
    if !ty.is_ranked_tensor() || ty.has_encoding() || ty.element().has_sign() {
        return None;
    }
    let shape = ty.shape().into_iter().map(|size| usize::try_from(size?).ok()).collect::<Option<_>>()?;
    Some((scalar_of(ty.element())?, shape))
}
