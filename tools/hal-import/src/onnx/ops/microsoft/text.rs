//! Operators for generated text.
use super::{super::Entry, build::ranked};
use crate::onnx::{
    Context, Elem, Iter, Node, Num, Order, Outcome, Scalar,
    generic::map,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("NGramRepeatBlock", repeat_block)];

/// Tokens in a sequence that is looked for: each becomes code.
const LONGEST: i64 = 256;

/// The scores of tokens that would complete a sequence of `ngram_size` tokens that is there already become -∞.
fn repeat_block(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (ids, scores) = (n.input(0)?.clone(), n.input(1)?.clone());
    let size = n.int("ngram_size", 0);
    if size < 1 {
        return invalid(format!("`ngram_size` is {size}"));
    }
    if size > LONGEST {
        return unsupported(format!("`ngram_size` is {size}, more than {LONGEST}"));
    }
    ranked(&ids, 2)?;
    ranked(&scores, 2)?;
    c.require_same((&ids, 0), (&scores, 0))?;
    let (ids, scores) = (c.settle(&ids), c.settle(&scores));
    let length = ids.shape[1].clone();
    let (ssa, ty, of) = (c.ssa(&ids), ids.ty(), ids.elem);
    let count = Scalar::index(c.index(&length));
    // The token that must not follow, for each place where the last tokens stand; -1 where they do not.
    let banned = c.elementwise_to(&ids.shape.clone(), std::slice::from_ref(&ids), Elem::I64, |b, v| {
        let (row, at) = (b.position(0), b.position(1));
        let (zero, before) = (b.index_constant(0), b.index_constant(size - 1));
        let first = b.sub(&at, &before);
        let mut same = b.compare(Order::Ge, &first, &zero);
        for j in 1..size {
            let by = b.index_constant(j);
            let (old, last) = (b.sub(&at, &by), b.sub(&count, &by));
            let (old, last) = (b.max(&old, &zero), b.max(&last, &zero));
            let old = b.extract(&ssa, &ty, of, &[row.clone(), old]);
            let last = b.extract(&ssa, &ty, of, &[row.clone(), last]);
            let equal = b.compare(Order::Eq, &old, &last);
            same = b.and(&same, &equal);
        }
        let (own, none) = (b.cast(&v[0], Elem::I64), b.int(Elem::I64, -1));
        b.select(&same, &own, &none)
    })?;
    let out = c.filled(Elem::Bool, &scores.shape, Num::I(0));
    let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
    let hit = c
        .generic(&iters, &[(&banned, map(&[0, 2]))], &[(&out, map(&[0, 1]))], |b, v| {
            let token = b.position(1);
            let token = b.cast(&token, Elem::I64);
            let same = b.compare(Order::Eq, &v[0], &token);
            vec![b.or(&v[1], &same)]
        })
        .remove(0);
    let elem = scores.elem;
    Ok(vec![c.elementwise(&[scores, hit], elem, |b, v| {
        let low = b.float(elem, f64::NEG_INFINITY);
        b.select(&v[1], &low, &v[0])
    })?])
}
