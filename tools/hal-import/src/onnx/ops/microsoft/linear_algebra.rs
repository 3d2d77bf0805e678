//! Distances, inverses, complex products.
use super::{super::Entry, build::ranked};
use crate::onnx::{
    Context, Dim, Iter, Node, Num, Order, Outcome, Scalar, Value,
    generic::map,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("CDist", distances),
    ("Inverse", inverse),
    ("ComplexMul", |c, n| complex(c, n, false)),
    ("ComplexMulConj", |c, n| complex(c, n, true)),
];

/// The distances of all rows of the first input to all rows of the second one.
fn distances(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (a, b) = (n.input(0)?.clone(), n.input(1)?.clone());
    let root = match &*n.string("metric", "sqeuclidean") {
        "euclidean" => true,
        "sqeuclidean" => false,
        other => return unsupported(format!("`metric` is `{other}`")),
    };
    ranked(&a, 2)?;
    ranked(&b, 2)?;
    c.require_same((&a, 1), (&b, 1))?;
    let (a, b) = (c.settle(&a), c.settle(&b));
    let elem = a.elem;
    let out = c.filled(elem, &[a.shape[0].clone(), b.shape[0].clone()], Num::F(0.0));
    let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
    let squares = c.generic(&iters, &[(&a, map(&[0, 2])), (&b, map(&[1, 2]))], &[(&out, map(&[0, 1]))], |b, v| {
        let difference = b.sub(&v[0], &v[1]);
        let square = b.mul(&difference, &difference);
        vec![b.add(&v[2], &square)]
    });
    if !root {
        return Ok(squares);
    }
    Ok(vec![c.elementwise(&squares, elem, |b, v| b.math("sqrt", &v[0]))?])
}

/// Gauss and Jordan's elimination, with the largest element of each column: one step for each row is a loop of the program,
/// in which each element of all matrices is computed at once.
fn inverse(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let rank = x.rank();
    if rank < 2 {
        return invalid(format!("the input has rank {rank}, less than 2"));
    }
    c.require_same((&x, rank - 2), (&x, rank - 1))?;
    let x = c.settle(&x);
    if !x.elem.is_float() {
        return invalid(format!("the elements are of type {:?}", x.elem));
    }
    let (size, elem) = (x.shape[rank - 1].clone(), x.elem.accumulator());
    let batch = c.product(&x.shape[..rank - 2]);
    let flat = c.reshape(&x, &[batch.clone(), size.clone(), size.clone()])?;
    let flat = super::super::matmul::narrowed(c, &flat, elem)?;
    // The matrix, and beside it the identity, which becomes the inverse.
    let identity = c.elementwise_to(&[batch.clone(), size.clone(), size.clone()], &[], elem, |b, _| {
        let (row, column) = (b.position(1), b.position(2));
        let same = b.compare(Order::Eq, &row, &column);
        let (one, zero) = (b.float(elem, 1.0), b.float(elem, 0.0));
        b.select(&same, &one, &zero)
    })?;
    let both = c.concat(&[flat, identity], 2)?;
    let (start, ty) = (c.ssa(&both), both.ty());
    let [zero, one] = [0, 1].map(|i| c.index(&Dim::fixed(i)));
    let end = c.index(&size);
    let rows = c.index(&size);
    let (step, carried) = (c.w.name(), c.w.name());
    // Sizes that the body needs are written before it.
    both.shape.iter().chain([&batch]).for_each(|d| _ = c.index(d));
    let head = format!("scf.for {step} = {zero} to {end} step {one} iter_args({carried} = {start}) -> ({ty}) {{");
    let result = c.w.open_values(1, &head).remove(0);
    let scope = c.enter();
    let now = Value::new(carried, elem, both.shape.clone());
    let next = eliminated(c, &now, &batch, &size, &Scalar::index(&step), &Scalar::index(&rows))?;
    let next = c.ssa(&next);
    c.w.line(format!("scf.yield {next} : {ty}"));
    c.leave(scope);
    c.w.close("}");
    let result = Value::new(result, elem, both.shape.clone());
    let right = super::build::cut(c, &result, 2, &size, &size);
    let right = super::super::matmul::narrowed(c, &right, x.elem)?;
    Ok(vec![c.reshape(&right, &x.shape)?])
}

/// Performs one elimination step: swaps the row with the largest element of a column into place and subtracts it from
/// all others.
fn eliminated(c: &mut Context<'_>, x: &Value, batch: &Dim, size: &Dim, step: &Scalar, rows: &Scalar) -> Outcome<Value> {
    let elem = x.elem;
    let (ssa, ty) = (c.ssa(x), x.ty());
    // How large elements of the column are, those above the diagonal not counting.
    let sizes = c.elementwise_to(&[batch.clone(), size.clone()], &[], elem, |b, _| {
        let (matrix, row) = (b.position(0), b.position(1));
        let value = b.extract(&ssa, &ty, elem, &[matrix, row.clone(), step.clone()]);
        let (large, below) = (b.abs(&value), b.compare(Order::Ge, &row, step));
        let low = b.float(elem, -1.0);
        b.select(&below, &large, &low)
    })?;
    let best = super::super::arg::extreme(c, &sizes, 1, true, false)?;
    let out = c.empty(elem, &x.shape);
    Ok(c.generic(&[Iter::Parallel; 3], &[(&best, map(&[0]))], &[(&out, map(&[0, 1, 2]))], |b, v| {
        let (matrix, row, column) = (b.position(0), b.position(1), b.position(2));
        let (zero, one) = (b.index_constant(0), b.index_constant(1));
        let last = b.sub(rows, &one);
        let pivot = b.to_index(&v[0]);
        let pivot = b.max(&pivot, &zero);
        let pivot = b.min(&pivot, &last);
        let at = |b: &mut crate::onnx::Body<'_>, row: &Scalar, column: &Scalar| {
            b.extract(&ssa, &ty, elem, &[matrix.clone(), row.clone(), column.clone()])
        };
        let (own, top) = (at(b, &pivot, step), at(b, &pivot, &column));
        let scaled = b.div(&top, &own);
        // The row of the pivot and that of the step change places.
        let moved = b.compare(Order::Eq, &row, &pivot);
        let source = b.select(&moved, step, &row);
        let (value, factor) = (at(b, &source, &column), at(b, &source, step));
        let part = b.mul(&factor, &scaled);
        let rest = b.sub(&value, &part);
        let here = b.compare(Order::Eq, &row, step);
        vec![b.select(&here, &scaled, &rest)]
    })
    .remove(0))
}

/// Products of pairs of numbers, with broadcasting.
fn complex(c: &mut Context<'_>, n: &Node, conjugate: bool) -> Outcome {
    let (x, y) = (n.input(0)?.clone(), n.input(1)?.clone());
    let elem = x.elem;
    let mut parts = Vec::new();
    for v in [&x, &y] {
        let Some(axis) = v.rank().checked_sub(1) else { return invalid("an input is a scalar") };
        c.require_size((v, axis), &Dim::fixed(2), "the real and the imaginary part")?;
        for at in 0..2 {
            parts.push(c.take(v, axis, &Dim::fixed(at))?);
        }
    }
    let both = [true, false].map(|real| {
        c.elementwise(&parts, elem, |b, v| {
            let sign = if conjugate { b.neg(&v[3]) } else { v[3].clone() };
            let (p, q) = if real {
                (b.mul(&v[0], &v[2]), b.mul(&v[1], &sign))
            } else {
                (b.mul(&v[0], &sign), b.mul(&v[1], &v[2]))
            };
            if real { b.sub(&p, &q) } else { b.add(&p, &q) }
        })
    });
    let [real, imaginary] = both;
    let joined = [real?, imaginary?].map(|v| {
        let shape = [&v.shape[..], &[Dim::fixed(1)]].concat();
        c.reshape(&v, &shape)
    });
    let [real, imaginary] = joined;
    let (real, imaginary) = (real?, imaginary?);
    let axis = real.rank() - 1;
    Ok(vec![c.concat(&[real, imaginary], axis)?])
}
