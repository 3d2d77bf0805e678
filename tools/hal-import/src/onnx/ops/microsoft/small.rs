//! Small operators, most of them similar to standard ones.
use super::{
    super::Entry,
    build::{op, same, scalar},
};
use crate::onnx::{
    Context, Dim, Elem, Node, Num, Outcome, Value,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("Pad", |c, n| same(c, n, "Pad")),
    ("Trilu", |c, n| same(c, n, "Trilu")),
    ("GatherND", |c, n| same(c, n, "GatherND")),
    ("GridSample", |c, n| same(c, n, "GridSample")),
    ("Unique", |c, n| {
        // The standard operator gives more, and in another order.
        let x = n.input(0)?.clone();
        let mut results = super::super::apply(c, n, "Unique", vec![Some(x)], vec![super::build::int("sorted", 0)])?;
        if results.len() == 4 {
            results.remove(1);
        }
        Ok(results)
    }),
    ("Range", |c, n| {
        let (start, limit) = (n.input(0)?.clone(), n.input(1)?.clone());
        let delta = n.optional(2).cloned().unwrap_or_else(|| scalar(start.elem, 1.0));
        let flat = [&start, &limit, &delta].map(|v| c.reshape(v, &[]));
        let [start, limit, delta] = flat;
        Ok(vec![op(c, n, "Range", &[&start?, &limit?, &delta?], &[])?])
    }),
    ("ExpandDims", |c, n| {
        let Some(axis) = n.input(1)?.splat() else { return unsupported("the axis (input 1) is not a constant") };
        let x = n.input(0)?.clone();
        let axis = n.axis(axis.int() as i64, x.rank() + 1)?;
        let mut shape = x.shape.clone();
        shape.insert(axis, Dim::fixed(1));
        Ok(vec![c.reshape(&x, &shape)?])
    }),
    ("MulInteger", |c, n| {
        let mut centred = |at: usize| -> Outcome<Value> {
            let x = n.input(at)?.clone();
            let mut inputs = vec![x];
            inputs.extend(n.optional(at + 1).cloned());
            c.elementwise(&inputs, Elem::I32, |b, v| {
                let wide: Vec<_> = v.iter().map(|s| b.cast(s, Elem::I32)).collect();
                wide.get(1).map_or_else(|| wide[0].clone(), |zero| b.sub(&wide[0], zero))
            })
        };
        let (x, y) = (centred(0)?, centred(2)?);
        Ok(vec![op(c, n, "Mul", &[&x, &y], &[])?])
    }),
    ("ReduceSumInteger", |c, n| {
        let x = n.input(0)?.clone();
        let axes = n.ints("axes").unwrap_or_default();
        let keep = super::build::int("keepdims", n.int("keepdims", 1));
        let x = super::super::matmul::narrowed(c, &x, if x.elem.is_unsigned() { Elem::U32 } else { Elem::I32 })?;
        let axes = Value::constant(crate::onnx::Tensor::from_ints(Elem::I64, &axes));
        Ok(vec![op(c, n, "ReduceSum", &[&x, &axes], &[keep])?])
    }),
    ("IsAllFinite", is_all_finite),
    ("UnfoldTensor", unfold),
    ("CropAndResize", super::super::roi::crop::crop_and_resize),
    ("ScaledSiLU", |c, n| {
        let x = n.input(0)?.clone();
        let alpha = n.float("alpha", 1.0);
        let y = op(c, n, "Swish", &[&x], &[super::build::float("alpha", alpha)])?;
        match n.optional(1).cloned() {
            Some(scale) => {
                let scale = super::norms::like(c, &scale, &y)?;
                Ok(vec![op(c, n, "Mul", &[&y, &scale], &[])?])
            }
            None => Ok(vec![y]),
        }
    }),
];

/// Whether no element of any input is infinite or NaN.
fn is_all_finite(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (only_inf, only_nan) = (n.int("isinf_only", 0) != 0, n.int("isnan_only", 0) != 0);
    if only_inf && only_nan {
        return invalid("both `isinf_only` and `isnan_only` are set");
    }
    let mut all: Option<Value> = None;
    for x in n.all()? {
        let axes: Vec<_> = (0..x.rank()).collect();
        let fine = c.reduce(&x, &axes, Elem::Bool, Num::I(1), |b, v, a| {
            let wide = b.cast(v, v.elem.map_or(Elem::F32, Elem::accumulator));
            let (size, most) = (b.abs(&wide), b.like(&wide, f64::INFINITY));
            let (inf, nan) = (b.compare(crate::onnx::Order::Eq, &size, &most), b.is_nan(&wide));
            let bad = if only_inf {
                inf
            } else if only_nan {
                nan
            } else {
                b.or(&inf, &nan)
            };
            let good = b.not(&bad);
            b.and(a, &good)
        });
        all = Some(match all {
            Some(had) => op(c, n, "And", &[&had, &fine], &[])?,
            None => fine,
        });
    }
    match all {
        Some(all) => Ok(vec![all]),
        None => invalid("there is no input"),
    }
}

/// Windows along a dimension, each as a new last dimension.
fn unfold(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("dim", -1), x.rank())?;
    let (size, step) = (n.int("size", 0), n.int("step", 1));
    if size < 1 || step < 1 {
        return invalid(format!("`size` is {size}, `step` {step}"));
    }
    let own = x.shape[axis].clone();
    let text = "windows are of {1} elements, of which there are {0}";
    let size = Dim::fixed(size);
    c.require(crate::onnx::context::require::Rule::AtLeast(own.clone(), size.clone()), text, &[&own, &size])?;
    let mut shape = x.shape.clone();
    shape[axis] = c.size_over(&own.minus(&size), &Dim::fixed(step)).offset(1);
    shape.push(size);
    let rank = x.rank();
    let (ssa, ty, elem) = (c.ssa(&x), x.ty(), x.elem);
    let end = crate::onnx::Scalar::index(c.index(&own.offset(-1)));
    Ok(vec![c.elementwise_to(&shape, &[], elem, |b, _| {
        let mut at: Vec<_> = (0..rank).map(|d| b.position(d)).collect();
        let (step, inner) = (b.index_constant(step), b.position(rank));
        let start = b.mul(&at[axis], &step);
        let place = b.add(&start, &inner);
        at[axis] = b.min(&place, &end);
        b.extract(&ssa, &ty, elem, &at)
    })?])
}
