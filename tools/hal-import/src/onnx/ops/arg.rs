//! Positions of extremes: `ArgMax`, `ArgMin`.
use super::{
    Entry,
    pool::{highest, lowest},
};
use crate::onnx::{Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Value, generic::map};

pub(super) const OPS: &[Entry] = &[("ArgMax", |c, n| arg(c, n, true)), ("ArgMin", |c, n| arg(c, n, false))];

fn arg(c: &mut Context<'_>, n: &Node, most: bool) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("axis", 0), x.rank())?;
    super::reduce::some(c, &x, &[axis], "extreme")?;
    let result = extreme(c, &x, axis, most, n.int("select_last_index", 0) != 0)?;
    if n.int("keepdims", 1) == 0 {
        return Ok(vec![result]);
    }
    let mut shape = x.shape.clone();
    shape[axis] = Dim::fixed(1);
    Ok(vec![c.reshape(&result, &shape)?])
}

/// The position (i64) of the extreme along an axis, which vanishes; of equal ones the first or last. NaN counts as the
/// extreme, as in numpy.
pub(super) fn extreme(c: &mut Context<'_>, x: &Value, axis: usize, most: bool, last: bool) -> Outcome<Value> {
    let kept: Vec<_> = (0..x.rank()).filter(|&i| i != axis).collect();
    let shape: Vec<_> = kept.iter().map(|&i| x.shape[i].clone()).collect();
    let value = c.filled(x.elem, &shape, if most { lowest(x.elem) } else { highest(x.elem) });
    let place = c.filled(Elem::I64, &shape, Num::I(-1));
    let iters: Vec<_> = (0..x.rank()).map(|i| if i == axis { Iter::Reduction } else { Iter::Parallel }).collect();
    let all: Vec<_> = (0..x.rank()).collect();
    let out = map(&kept);
    let mut results = c.generic(&iters, &[(x, map(&all))], &[(&value, out.clone()), (&place, out)], |b, v| {
        let here = b.position(axis);
        let here = b.cast(&here, Elem::I64);
        let better = b.compare(if most { Order::Gt } else { Order::Lt }, &v[0], &v[1]);
        let equal = b.compare(Order::Eq, &v[0], &v[1]);
        // Told by position and not by the order of visits, so that any order gives the same.
        let before = b.compare(if last { Order::Gt } else { Order::Lt }, &here, &v[2]);
        let none = b.int(Elem::I64, 0);
        let nothing_yet = b.compare(Order::Lt, &v[2], &none);
        let before = b.or(&before, &nothing_yet);
        let tie = b.and(&equal, &before);
        let mut take = b.or(&better, &tie);
        if x.elem.is_float() {
            let (now, had) = (b.is_nan(&v[0]), b.is_nan(&v[1]));
            let both = b.and(&now, &had);
            let had_none = b.not(&had);
            let first = b.and(&now, &had_none);
            let tie = b.and(&both, &before);
            let nan = b.or(&first, &tie);
            take = b.or(&take, &nan);
        }
        vec![b.select(&take, &v[0], &v[1]), b.select(&take, &here, &v[2])]
    });
    Ok(results.remove(1))
}
