//! Nearest neighbours with integer scales: each element is copied, and no position is computed.
use super::{Axis, Plan, table::nearest};
use crate::onnx::{Context, Dim, Iter, Outcome, Value, generic::map};

/// The result where all axes are copied in blocks and the size of one of them is not known.
pub(super) fn apply(c: &mut Context<'_>, x: &Value, axes: &[Axis], plan: &Plan) -> Outcome<Option<Value>> {
    if axes.iter().all(|a| a.is_kept() || a.fixed().is_some()) {
        return Ok(None);
    }
    let Some(copies) = axes.iter().map(|a| copies(a, plan)).collect::<Outcome<Option<Vec<_>>>>()? else {
        return Ok(None);
    };
    let (mut apart, mut read) = (Vec::new(), Vec::new());
    for (d, &count) in x.shape.iter().zip(&copies) {
        read.push(apart.len());
        apart.push(d.clone());
        if count > 1 {
            apart.push(Dim::fixed(count));
        }
    }
    let out = c.empty(x.elem, &apart);
    let all: Vec<_> = (0..apart.len()).collect();
    let spread = c
        .generic(&vec![Iter::Parallel; apart.len()], &[(x, map(&read))], &[(&out, map(&all))], |_, v| {
            vec![v[0].clone()]
        })
        .remove(0);
    let shape: Vec<_> = axes.iter().map(|a| a.to.clone()).collect();
    c.reshape(&spread, &shape).map(Some)
}

/// Returns how often each element of an axis is repeated, if that is the whole operation.
fn copies(axis: &Axis, plan: &Plan) -> Outcome<Option<i64>> {
    if axis.is_kept() {
        return Ok(Some(1));
    }
    let scale = axis.scale.as_ref().and_then(|s| s.known()).filter(|s| s.fract() == 0.0 && (1.0..=64.0).contains(s));
    let (Some(scale), None, "nearest") = (scale, &axis.region, plan.mode.as_str()) else { return Ok(None) };
    let first = match plan.transform.as_str() {
        "half_pixel" | "half_pixel_symmetric" | "pytorch_half_pixel" => 0.5 / scale - 0.5,
        "asymmetric" => 0.0,
        "tf_half_pixel_for_nn" => 0.5 / scale,
        _ => return Ok(None),
    };
    for at in 0..scale as i64 {
        if nearest(first + at as f64 / scale, &plan.nearest)? != 0 {
            return Ok(None);
        }
    }
    Ok(Some(scale as i64))
}
