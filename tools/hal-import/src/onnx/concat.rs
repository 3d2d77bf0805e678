//! Joining tensors along an axis.
use super::{Context, Num, Outcome, Tensor, Value, evaluate, layout::fixed, problem::invalid};

impl Context<'_> {
    /// Joins values along an axis. Errors: they do not fit.
    pub(crate) fn concat(&mut self, values: &[Value], axis: usize) -> Outcome<Value> {
        let values = &*values.iter().map(|v| self.settle(v)).collect::<Vec<_>>();
        let Some(first) = values.first() else { return invalid("nothing to concatenate") };
        for v in values[1..].iter().filter(|v| v.rank() == first.rank() && v.elem == first.elem) {
            for i in (0..first.rank()).filter(|&i| i != axis) {
                if first.shape[i].get().is_none() || v.shape[i].get().is_none() {
                    self.require_same((first, i), (v, i))?;
                }
            }
        }
        let values = &*values.iter().map(|v| self.settle(v)).collect::<Vec<_>>();
        let first = &values[0];
        let mut shape = first.shape.clone();
        for v in &values[1..] {
            let fits = v.rank() == shape.len() && v.elem == first.elem;
            let fits = fits
                && (0..shape.len()).all(|i| {
                    i == axis || v.shape[i].get().is_none() || shape[i].get().is_none() || v.shape[i] == shape[i]
                });
            if !fits {
                return invalid(format!("`{}` and `{}` cannot be concatenated along axis {axis}", first.ty(), v.ty()));
            }
            shape[axis] = shape[axis].plus(&v.shape[axis]);
            for (d, other) in shape.iter_mut().zip(&v.shape).enumerate().filter(|(i, _)| *i != axis).map(|(_, p)| p) {
                if d.get().is_none() && other.get().is_some() {
                    *d = other.clone();
                }
            }
        }
        if let (1, 0, Some(lists)) = (first.rank(), axis, values.iter().map(Value::as_dims).collect::<Option<Vec<_>>>())
            && shape[0].get().is_some_and(|n| n <= 4096)
        {
            return Ok(Value::dims(first.elem, shape, lists.concat()));
        }
        if let (Some(tensors), Some(to)) = (values.iter().map(Value::tensor).collect::<Option<Vec<_>>>(), fixed(&shape))
            && (evaluate::worthwhile(first.elem, to.iter().product(), tensors.iter().map(|t| t.len()).sum())
                || same_splat(&tensors))
            && values.iter().all(|v| v.quantised.is_none())
        {
            return Ok(Value::constant(concat_tensors(&tensors, to, axis)));
        }
        let parts: Vec<_> = values.iter().filter(|v| !v.shape[axis].is(0)).cloned().collect();
        if parts.len() <= 1 {
            return Ok(parts.into_iter().next().unwrap_or_else(|| first.clone()));
        }
        let names: Vec<_> = parts.iter().map(|v| self.ssa(v)).collect();
        let types: Vec<_> = parts.iter().map(Value::ty).collect();
        let mut known = parts[0].shape.clone();
        known[axis] = shape[axis].clone();
        // The operation's type knows as much as its operands' types together.
        for (i, d) in known.iter_mut().enumerate().filter(|(i, _)| *i != axis) {
            *d = shape[i].clone();
        }
        let ty = super::value::tensor_type(first.elem, &known);
        let joined = self.value(
            format!("tensor.concat dim({axis}) {} : ({}) -> {ty}", names.join(", "), types.join(", ")),
            first.elem,
            shape,
        );
        Ok(Value { ramps: Value::joined_ramps(values, axis), ..joined })
    }
}

fn same_splat(tensors: &[&Tensor]) -> bool {
    let first = tensors[0].as_splat();
    first.is_some_and(|f| !matches!(f, Num::F(v) if v.is_nan())) && tensors.iter().all(|t| t.as_splat() == first)
}

fn concat_tensors(tensors: &[&Tensor], shape: Vec<usize>, axis: usize) -> Tensor {
    if same_splat(tensors) {
        return Tensor::splat(tensors[0].elem, shape, tensors[0].as_splat().expect("a splat"));
    }
    let (outer, elem): (usize, _) = (shape[..axis].iter().product(), tensors[0].elem);
    let parts: Vec<_> =
        tensors.iter().map(|t| (t.bytes(), t.shape[axis..].iter().product::<usize>() * elem.size())).collect();
    let joined = halyard_cli::filled(shape.iter().product::<usize>() * elem.size(), |mut out| {
        for o in 0..outer {
            for (bytes, inner) in &parts {
                let (piece, rest) = out.split_at_mut(*inner);
                piece.copy_from_slice(&bytes[o * inner..][..*inner]);
                out = rest;
            }
        }
    });
    Tensor::from_bytes(elem, shape, joined).expect("as many elements as the shape holds")
}
