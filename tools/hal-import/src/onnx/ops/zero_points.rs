//! Zero points and scales of quantised factors: scalars, or lists along a dimension.
use crate::onnx::{
    Context, Dim, Elem, Outcome, Value,
    context::require::{Rule, dimension},
    problem::invalid,
};
use std::rc::Rc;

/// Integers less their zero points, as i32.
pub(super) fn centred(c: &mut Context<'_>, x: &Value, zero: Option<&Value>) -> Outcome<Value> {
    let zero = zero.filter(|z| z.splat().is_none_or(|all| !all.is_zero()));
    // Weights that are the same everywhere stay a tensor, which kernels read like any other weights.
    let tensor = match x.splat() {
        Some(_) if x.rank() > 1 => Value::new(c.ssa(x), x.elem, x.shape.clone()),
        _ => x.clone(),
    };
    let mut inputs = vec![tensor];
    inputs.extend(zero.cloned());
    let elem = if x.elem.is_float() { Elem::F32 } else { Elem::I32 };
    let mut centred = c.elementwise_to(&x.shape.clone(), &inputs, elem, |b, v| {
        let wide = b.cast(&v[0], elem);
        match v.get(1) {
            Some(zero) => {
                let zero = b.cast(zero, elem);
                b.sub(&wide, &zero)
            }
            None => wide,
        }
    })?;
    if zero.is_none() && elem == Elem::I32 && x.known.is_some() {
        centred.narrow = Some(Rc::new(x.clone()));
    }
    Ok(centred)
}

/// A zero point or scale that is a list is as long as the dimension that it is for.
pub(super) fn listed(c: &mut Context<'_>, list: &Value, (x, axis): (&Value, usize)) -> Outcome<()> {
    if list.rank() > 1 {
        return invalid(format!("a scale or zero point of type `{}` is neither a number nor a list", list.ty()));
    }
    if list.rank() == 0 || list.shape[0].is(1) || axis >= x.rank() {
        return Ok(());
    }
    let own = &list.shape[0];
    let text = format!("{} is {{0}}, which does not fit {{1}}, {}", dimension(list, 0), dimension(x, axis));
    if own.get().is_some() {
        return c.require(Rule::Equal(own.clone(), x.shape[axis].clone()), &text, &[own, &x.shape[axis]]);
    }
    c.require(Rule::Fits(own.clone(), x.shape[axis].clone()), &text, &[own, &x.shape[axis]])
}

/// A zero point or scale along an axis: a scalar, or a list for that axis.
pub(super) fn along(c: &mut Context<'_>, v: &Value, axis: usize, rank: usize) -> Outcome<Value> {
    let count = v.shape.first().cloned();
    match count {
        None => Ok(v.clone()),
        Some(d) if v.rank() == 1 && d.is(1) => c.reshape(v, &[]),
        Some(_) if v.rank() == 1 && axis >= rank => invalid(format!("a list is for axis {axis} of rank {rank}")),
        Some(d) if v.rank() == 1 => {
            let mut shape = vec![Dim::fixed(1); rank - axis];
            shape[0] = d;
            c.reshape(v, &shape)
        }
        Some(_) => Ok(v.clone()),
    }
}
