//! Operations in which elements see others along an axis: triangles, the largest elements.
use super::Entry;
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar,
    context::require::{Rule, dimension},
    generic::map,
    problem::invalid,
};

pub(super) const OPS: &[Entry] = &[
    ("Trilu", trilu),
    ("TopK", top_k),
];

/// Keeps the upper or lower triangle of the last two dimensions.
fn trilu(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let rank = x.rank();
    if rank < 2 {
        return invalid(format!("the input has rank {rank}, less than 2"));
    }
    let upper = n.int("upper", 1) != 0;
    let k = match n.optional(1) {
        Some(v) => c.read_dim(v)?,
        None => Dim::fixed(0),
    };
    let k = Scalar::index(c.index(&k));
    Ok(vec![c.elementwise(&[x.clone()], x.elem, |b, v| {
        let (row, column) = (b.position(rank - 2), b.position(rank - 1));
        let diagonal = b.add(&row, &k);
        let keep = b.compare(if upper { Order::Ge } else { Order::Le }, &column, &diagonal);
        let zero = b.number(x.elem, Num::I(0));
        b.select(&keep, &v[0], &zero)
    })?])
}

/// The `k` largest or smallest in order. The rank of an element is the number of those before it; an element goes
/// where its rank says.
fn top_k(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.axis(n.int("axis", -1), x.rank())?;
    let k = match n.optional(1) {
        Some(v) => c.read_dim(v)?,
        None => Dim::fixed(n.int("k", 1)),
    };
    let largest = n.int("largest", 1) != 0;
    let rank = x.rank();
    let all: Vec<_> = (0..rank).collect();
    let other: Vec<_> = (0..rank).map(|d| if d == axis { rank } else { d }).collect();
    let iters = [vec![Iter::Parallel; rank], vec![Iter::Reduction]].concat();
    let zero = c.filled(Elem::I64, &x.shape, Num::I(0));
    let ranks = c
        .generic(&iters, &[(&x, map(&all)), (&x, map(&other))], &[(&zero, map(&all))], |b, v| {
            let (here, there) = (b.position(axis), b.position(rank));
            let ahead = b.compare(if largest { Order::Gt } else { Order::Lt }, &v[1], &v[0]);
            let (equal, first) = (b.compare(Order::Eq, &v[1], &v[0]), b.compare(Order::Lt, &there, &here));
            let tie = b.and(&equal, &first);
            let before = b.or(&ahead, &tie);
            let one = b.int(Elem::I64, 1);
            let more = b.add(&v[2], &one);
            vec![b.select(&before, &more, &v[2])]
        })
        .remove(0);
    c.require_count(&k, "`k`")?;
    let text = format!("`k` is {{0}}, more than the {{1}} elements of {}", dimension(&x, axis));
    c.require(Rule::AtLeast(x.shape[axis].clone(), k.clone()), &text, &[&k, &x.shape[axis]])?;
    let mut shape = x.shape.clone();
    shape[axis] = k;
    let (values, places) = (c.filled(x.elem, &shape, Num::I(0)), c.filled(Elem::I64, &shape, Num::I(0)));
    Ok(c.generic(
        &iters,
        &[(&x, map(&other)), (&ranks, map(&other))],
        &[(&values, map(&all)), (&places, map(&all))],
        |b, v| {
            let (here, there) = (b.position(axis), b.position(rank));
            let (here, there) = (b.cast(&here, Elem::I64), b.cast(&there, Elem::I64));
            let mine = b.compare(Order::Eq, &v[1], &here);
            vec![b.select(&mine, &v[0], &v[2]), b.select(&mine, &there, &v[3])]
        },
    ))
}
