//! `Det`: elimination with partial pivoting, for all matrices of a batch at once.
use super::Entry;
use crate::onnx::{Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value, generic::map, problem::invalid};

pub(super) const OPS: &[Entry] = &[("Det", det)];

fn det(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let Some(outer) = x.rank().checked_sub(2) else {
        return invalid(format!("`{}` holds no matrices", x.ty()));
    };
    if !x.elem.is_float() {
        return invalid(format!("`{}` is not of floats", x.ty()));
    }
    c.require_same((&x, outer), (&x, outer + 1))?;
    let x = c.settle(&x);
    let (batch, size) = (x.shape[..outer].to_vec(), x.shape[outer].clone());
    let count = c.product(&batch);
    let flat = c.reshape(&x, &[count.clone(), size.clone(), size.clone()])?;
    let wide = x.elem.accumulator();
    let matrices = super::matmul::narrowed(c, &flat, wide)?;
    let ones = c.filled(wide, std::slice::from_ref(&count), Num::I(1));
    let done = c.repeat(&size, &[matrices, ones], |c, at, state| step(c, at, &state[0], &state[1]))?;
    let result = c.reshape(&done[1], &batch)?;
    Ok(vec![super::matmul::narrowed(c, &result, x.elem)?])
}

/// Clears column `at` below the diagonal, after the row with its largest element has come there.
fn step(c: &mut Context<'_>, at: &Dim, matrices: &Value, product: &Value) -> Outcome<Vec<Value>> {
    let elem = matrices.elem;
    let column = c.take(matrices, 2, at)?;
    let (best, row) = (c.filled(elem, &product.shape, Num::I(-1)), c.filled(Elem::I64, &product.shape, Num::I(0)));
    let here = Scalar::index(c.index(at));
    let iters = [Iter::Parallel, Iter::Reduction];
    let outs = [(&best, map(&[0])), (&row, map(&[0]))];
    let found = c.generic(&iters, &[(&column, map(&[0, 1]))], &outs, |b, v| {
        let position = b.position(1);
        let below = b.compare(Order::Ge, &position, &here);
        let length = b.abs(&v[0]);
        let larger = b.greater_or_nan(&length, &v[1]);
        let take = b.and(&below, &larger);
        let position = b.cast(&position, Elem::I64);
        vec![b.select(&take, &length, &v[1]), b.select(&take, &position, &v[2])]
    });
    let rows = &found[1];
    let (ssa, ty, size) = (c.ssa(matrices), matrices.ty(), Scalar::index(c.index(&matrices.shape[1])));
    let pivot_row = |b: &mut crate::onnx::Body<'_>, row: &Scalar| {
        let row = b.to_index(row);
        let (zero, one) = (b.index_constant(0), b.index_constant(1));
        let last = b.sub(&size, &one);
        let row = b.max(&row, &zero);
        b.min(&row, &last)
    };
    let product = c.elementwise_to(&product.shape.clone(), &[product.clone(), rows.clone()], elem, |b, v| {
        let row = pivot_row(b, &v[1]);
        let batch = b.position(0);
        let pivot = b.extract(&ssa, &ty, elem, &[batch, row.clone(), here.clone()]);
        let stays = b.compare(Order::Eq, &row, &here);
        let minus = b.neg(&pivot);
        let factor = b.select(&stays, &pivot, &minus);
        b.mul(&v[0], &factor)
    })?;
    let spread = c.reshape(rows, &[rows.shape[0].clone(), Dim::fixed(1), Dim::fixed(1)])?;
    let next = c.elementwise_to(&matrices.shape.clone(), &[spread], elem, |b, v| {
        let pivot = pivot_row(b, &v[0]);
        let [batch, row, column] = [0, 1, 2].map(|d| b.position(d));
        let read = |b: &mut crate::onnx::Body<'_>, row: &Scalar, column: &Scalar| {
            b.extract(&ssa, &ty, elem, &[batch.clone(), row.clone(), column.clone()])
        };
        // The rows `at` and `pivot` change places.
        let (is_here, is_pivot) = (b.compare(Order::Eq, &row, &here), b.compare(Order::Eq, &row, &pivot));
        let other = b.select(&is_pivot, &here, &row);
        let source = b.select(&is_here, &pivot, &other);
        let own = read(b, &source, &column);
        let (above, lead, top) = (read(b, &pivot, &here), read(b, &source, &here), read(b, &pivot, &column));
        let zero = b.like(&above, 0.0);
        let none = b.compare(Order::Eq, &above, &zero);
        let ratio = b.div(&lead, &above);
        let ratio = b.select(&none, &zero, &ratio);
        let part = b.mul(&ratio, &top);
        let less = b.sub(&own, &part);
        let below = b.compare(Order::Gt, &row, &here);
        b.select(&below, &less, &own)
    })?;
    Ok(vec![next, product])
}
