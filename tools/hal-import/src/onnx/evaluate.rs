//! Nodes whose inputs are all constants are computed at import: weights that a model standardises, tables of positions that it computes from
//! weights. What they give is a weight like any other, which later steps may pack or transform.
//!
//! Arithmetic is on f32; elements of any type are moved. Each operation rounds its result once; sums and functions are computed
//! in f64, functions by the crate `libm`, so that a model gives the same program on every machine. What is not in the tables, or
//! too large, is left to the lowering of the operator, and so is what is not valid. Arithmetic and comparisons of integers are
//! folded where they are lowered (`ops/arithmetic.rs`).
mod elementwise;
mod matmul;
mod movement;
mod norm;
mod reduce;

use super::{Elem, Node, Tensor, Value};
use halyard_cli::filled;

/// The most elements that the inputs of a node may have together.
const MOST: usize = 64 << 20;
/// The most multiplications of a product.
const MOST_PRODUCTS: usize = 1 << 31;
/// Elements that a result may have, though its inputs have fewer: the program does not grow by what is computed from little.
pub(crate) const SMALL: usize = 4096;
/// The same for integers and booleans, which mostly are positions of other elements.
pub(crate) const SMALL_POSITIONS: usize = 1 << 16;

/// Whether so many elements of a result are computed from so many elements of constants, or left to the program.
pub(super) fn worthwhile(elem: Elem, results: usize, inputs: usize) -> bool {
    let small = if elem.is_float() { SMALL } else { SMALL_POSITIONS };
    inputs <= MOST && results <= small.max(inputs.saturating_mul(2))
}

/// A constant of f32, row-major.
#[derive(Debug, Clone)]
pub(super) struct Floats {
    shape: Vec<usize>,
    data: Vec<f32>,
}

impl Floats {
    fn of(tensor: &Tensor) -> Self {
        let bytes = tensor.bytes();
        let data = bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four bytes"))).collect();
        Self { shape: tensor.shape.clone(), data }
    }

    fn into_value(self, name: String) -> Option<Value> {
        let bytes = filled(self.data.len() * 4, |out| {
            out.chunks_exact_mut(4).zip(&self.data).for_each(|(out, v)| out.copy_from_slice(&v.to_le_bytes()));
        });
        let tensor = Tensor::from_bytes(Elem::F32, self.shape, bytes)?;
        Some(Value::constant(tensor.named(Some(name))))
    }

    fn rank(&self) -> usize {
        self.shape.len()
    }
}

/// Computes the results of a node from its inputs in order: floats, or other constants. `None`: this is left to the lowering.
type Evaluate = fn(&Node, &[Constant<'_>]) -> Option<Vec<Floats>>;

/// Does the same for elements of any type, which are moved. An optional input may be left out.
type Move = fn(&Node, &[Option<&Tensor>]) -> Option<Tensor>;

/// An input of a node.
enum Constant<'t> {
    /// f32.
    Floats(Floats),
    /// A list of integers, such as axes.
    Ints(&'t Tensor),
    /// An optional input that is left out.
    Missing,
}

impl<'t> Constant<'t> {
    fn of(tensor: &'t Tensor) -> Self {
        if tensor.elem == Elem::F32 { Constant::Floats(Floats::of(tensor)) } else { Constant::Ints(tensor) }
    }

    fn floats(&self) -> Option<&Floats> {
        match self {
            Constant::Floats(floats) => Some(floats),
            Constant::Ints(_) | Constant::Missing => None,
        }
    }

    fn ints(&self) -> Option<Vec<i64>> {
        match self {
            Constant::Floats(_) | Constant::Missing => None,
            Constant::Ints(tensor) => Some(tensor.ints()),
        }
    }
}

const TABLES: &[&[(&str, Evaluate)]] = &[elementwise::TABLE, matmul::TABLE, norm::TABLE, reduce::TABLE];

/// The results of a node of the standard domain, if it can be computed now.
pub(super) fn evaluate(n: &Node) -> Option<Vec<Value>> {
    let moves = movement::TABLE.iter().find(|(op, _)| *op == n.op);
    let evaluate = TABLES.iter().flat_map(|table| table.iter()).find(|(op, _)| *op == n.op);
    if moves.is_none() && evaluate.is_none() {
        return None;
    }
    // Weights that are quantised stay so.
    if n.inputs.iter().flatten().any(|v| v.quantised.is_some()) {
        return None;
    }
    let mut inputs: Vec<Option<&Tensor>> = Vec::new();
    for input in &n.inputs {
        inputs.push(match input {
            Some(value) => Some(value.tensor()?),
            None => None,
        });
    }
    let tensors: Vec<&Tensor> = inputs.iter().flatten().copied().collect();
    let total = tensors.iter().try_fold(0usize, |sum, t| sum.checked_add(t.len()))?;
    // Many equal elements are one number to the lowering, whatever their count.
    let equal = total > SMALL && tensors.iter().all(|t| t.as_splat().is_some());
    if total > MOST || total == 0 || equal {
        return None;
    }
    let name = |at: usize| n.outputs.get(at).filter(|o| !o.is_empty()).cloned().unwrap_or_else(|| n.name.clone());
    if let Some((_, moves)) = moves {
        let moved = moves(n, &inputs)?.named(Some(name(0)));
        return worthwhile(moved.elem, moved.len(), total).then(|| vec![Value::constant(moved)]);
    }
    let &first = inputs.first()?.as_ref()?;
    if first.elem != Elem::F32 || tensors.iter().any(|t| t.elem != Elem::F32 && t.elem.is_float()) {
        return None;
    }
    let inputs: Vec<Constant<'_>> = inputs.into_iter().map(|t| t.map_or(Constant::Missing, Constant::of)).collect();
    let (_, evaluate) = evaluate?;
    let results = evaluate(n, &inputs)?;
    let fits = results.iter().all(|r| worthwhile(Elem::F32, r.data.len(), total));
    let wanted = n.outputs.iter().rposition(|o| !o.is_empty()).map_or(0, |last| last + 1);
    if !fits || wanted > results.len() {
        return None;
    }
    results.into_iter().enumerate().map(|(at, floats)| floats.into_value(name(at))).collect()
}

#[cfg(test)]
mod tests;
