//! Operations that move elements, or make tensors of scalars.
use crate::{
    Array, Known,
    array::{indices, strides},
    type_of,
};
use halyard_ir::{Attr, Op, Value};

pub(crate) fn evaluate(op: Op, name: &str, known: Known<'_>) -> Option<Array> {
    let (ty, shape) = type_of(op.results().first()?.ty())?;
    match name {
        // Nobody may read what is in it.
        "tensor.empty" => Some(Array::splat(ty, &shape, 0)),
        "tensor.expand_shape" | "tensor.collapse_shape" | "tensor.cast" => {
            let source = known(op.operand(0))?;
            (source.element_count() == shape.iter().product::<usize>()).then(|| source.reshaped(&shape))
        }
        "tensor.splat" => Some(Array::splat(ty, &shape, known(op.operand(0))?.as_splat()?)),
        "tensor.from_elements" => {
            let bits = op.operands().into_iter().map(|v| known(v)?.as_splat()).collect::<Option<_>>()?;
            Some(Array::new(ty, &shape, bits))
        }
        "tensor.extract" => {
            let source = known(op.operand(0))?;
            let mut place = 0;
            for (d, step) in strides(&source.shape).into_iter().enumerate() {
                let index = usize::try_from(known(op.operand(d + 1))?.as_splat()?).ok()?;
                place += (index < source.shape[d]).then_some(index * step)?;
            }
            Some(Array::splat(ty, &[], source.at(place)))
        }
        "tensor.extract_slice" => {
            let source = known(op.operand(0))?;
            let slice = Slice::of(op)?;
            let sizes = slice.sizes.clone();
            let moved = source.gathered(&sizes, |index| slice.place(index, &source.shape))?;
            (moved.element_count() == shape.iter().product::<usize>()).then(|| moved.reshaped(&shape))
        }
        "tensor.insert_slice" => {
            let (source, into) = (known(op.operand(0))?, known(op.operand(1))?);
            let slice = Slice::of(op)?;
            let mut bits: Vec<u64> = (0..into.element_count()).map(|at| into.at(at)).collect();
            if source.element_count() != slice.sizes.iter().product::<usize>() {
                return None;
            }
            for (at, index) in indices(&slice.sizes).enumerate() {
                *bits.get_mut(slice.place(&index, &into.shape)?)? = source.at(at);
            }
            Some(Array::new(ty, &shape, bits))
        }
        "tensor.concat" => {
            let along = usize::try_from(op.attr("dim").and_then(Attr::as_int)?).ok()?;
            let pieces: Vec<Array> = op.operands().into_iter().map(known).collect::<Option<_>>()?;
            let mut bits = Vec::with_capacity(shape.iter().product());
            let outer: usize = shape[..along].iter().product();
            for at in 0..outer {
                for piece in &pieces {
                    let block: usize = piece.shape[along..].iter().product();
                    bits.extend((at * block..(at + 1) * block).map(|place| piece.at(place)));
                }
            }
            Some(Array::new(ty, &shape, bits))
        }
        "tensor.pad" => {
            let source = known(op.operand(0))?;
            let low = numbers(op, "static_low")?;
            let value = known(padding(op)?)?.as_splat()?;
            let steps = strides(&source.shape);
            let inside = |index: &[usize]| -> Option<usize> {
                let mut place = 0;
                for (d, i) in index.iter().enumerate() {
                    let at = i.checked_sub(low[d]).filter(|at| *at < source.shape[d])?;
                    place += at * steps[d];
                }
                Some(place)
            };
            let bits = indices(&shape).map(|index| inside(&index).map_or(value, |place| source.at(place)));
            Some(Array::new(ty, &shape, bits.collect()))
        }
        _ => None,
    }
}

/// The value that a `tensor.pad` pads with, if it is the same everywhere.
pub(crate) fn padding(op: Op) -> Option<Value> {
    let end = op.body()?.terminator()?;
    let value = end.operand(0);
    value.argument_block().is_none().then_some(value)
}

/// A list of sizes of an operation; `None` if one is not a number.
fn numbers(op: Op, name: &str) -> Option<Vec<usize>> {
    op.attr(name)?.as_i64s()?.into_iter().map(|n| usize::try_from(n).ok()).collect()
}

/// A slice whose offsets, sizes and steps are numbers.
struct Slice {
    offsets: Vec<usize>,
    sizes: Vec<usize>,
    steps: Vec<usize>,
}

impl Slice {
    fn of(op: Op) -> Option<Self> {
        let list = |name| numbers(op, name);
        Some(Self { offsets: list("static_offsets")?, sizes: list("static_sizes")?, steps: list("static_strides")? })
    }

    /// The place in a tensor of this shape of an element of the slice; `None` outside.
    fn place(&self, index: &[usize], shape: &[usize]) -> Option<usize> {
        let mut place = 0;
        for (d, step) in strides(shape).into_iter().enumerate() {
            let at = self.offsets[d] + index[d] * self.steps[d];
            place += (at < shape[d]).then_some(at * step)?;
        }
        Some(place)
    }
}
