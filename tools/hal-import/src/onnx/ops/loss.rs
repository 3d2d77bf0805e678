//! Losses of classifiers: a cost for the probability of the correct class.
use super::{Entry, reduce::sum, softmax::log_softmax_over};
use crate::onnx::{
    Body, Context, Node, Num, Order, Outcome, Scalar, Value,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("NegativeLogLikelihoodLoss", |c, n| {
        let x = n.input(0)?.clone();
        Ok(vec![loss(c, n, &x)?])
    }),
    ("SoftmaxCrossEntropyLoss", |c, n| {
        let scores = n.input(0)?.clone();
        if scores.rank() < 2 || !scores.elem.is_float() {
            return invalid(format!("scores of type `{}` have no classes", scores.ty()));
        }
        let logs = Value { label: scores.label.clone(), ..log_softmax_over(c, &scores, &[1])? };
        Ok(vec![loss(c, n, &logs)?, logs])
    }),
];

/// Selects an element of `x` (`[batch, classes, …]`) for each label (`[batch, …]`), and reduces them.
fn loss(c: &mut Context<'_>, n: &Node, x: &Value) -> Outcome<Value> {
    let labels = n.input(1)?.clone();
    let weight = n.optional(2).cloned();
    let ignored = n.has("ignore_index").then(|| n.int("ignore_index", 0));
    if x.rank() < 2 || labels.rank() + 1 != x.rank() || !x.elem.is_float() || labels.elem.is_float() {
        return invalid(format!("classes of type `{}` and labels of type `{}` do not fit", x.ty(), labels.ty()));
    }
    for i in 0..labels.rank() {
        c.require_same((&labels, i), (x, if i == 0 { 0 } else { i + 1 }))?;
    }
    if let Some(weight) = &weight {
        if weight.rank() != 1 || weight.elem != x.elem {
            return invalid(format!("weights of type `{}` do not fit classes of type `{}`", weight.ty(), x.ty()));
        }
        c.require_same((weight, 0), (x, 1))?;
    }
    let (x, labels, weight) = (c.settle(x), c.settle(&labels), weight.map(|w| c.settle(&w)));
    let (shape, elem) = (labels.shape.clone(), x.elem.accumulator());
    let (ssa, ty) = (c.ssa(&x), x.ty());
    let weights = weight.as_ref().map(|w| (c.ssa(w), w.ty()));
    // The class of a label that is ignored may be anything; some class is read all the same.
    let class = |b: &mut Body<'_>, label: &Scalar| {
        let skip = ignored.map(|ignored| {
            let ignored = b.int(label.elem.expect("an element"), ignored);
            b.compare(Order::Eq, label, &ignored)
        });
        let at = b.to_index(label);
        let at = match &skip {
            Some(skip) => {
                let zero = b.index_constant(0);
                b.select(skip, &zero, &at)
            }
            None => at,
        };
        (at, skip)
    };
    let weigh = |b: &mut Body<'_>, at: &Scalar, skip: &Option<Scalar>| {
        let one = b.number(elem, Num::I(1));
        let weight = match &weights {
            Some((ssa, ty)) => {
                let weight = b.extract(ssa, ty, x.elem, std::slice::from_ref(at));
                b.cast(&weight, elem)
            }
            None => one,
        };
        match skip {
            Some(skip) => {
                let zero = b.number(elem, Num::I(0));
                b.select(skip, &zero, &weight)
            }
            None => weight,
        }
    };
    let losses = c.elementwise_to(&shape, std::slice::from_ref(&labels), elem, |b, v| {
        let (at, skip) = class(b, &v[0]);
        let mut place: Vec<_> = (0..labels.rank()).map(|d| b.position(d)).collect();
        place.insert(1, at.clone());
        let read = b.extract(&ssa, &ty, x.elem, &place);
        let wide = b.cast(&read, elem);
        let cost = b.neg(&wide);
        let weight = weigh(b, &at, &skip);
        let cost = b.mul(&cost, &weight);
        match &skip {
            // An infinite cost that is ignored is none.
            Some(skip) => {
                let zero = b.number(elem, Num::I(0));
                b.select(skip, &zero, &cost)
            }
            None => cost,
        }
    })?;
    let all: Vec<_> = (0..labels.rank()).collect();
    let end = |c: &mut Context<'_>, v: &Value| super::matmul::narrowed(c, v, x.elem);
    match n.string("reduction", "mean").as_str() {
        "none" => end(c, &losses),
        "sum" => {
            let total = sum(c, &losses, &all, |_, v| v.clone())?;
            end(c, &total)
        }
        "mean" if weight.is_none() && ignored.is_none() => {
            let mean = super::reduce::mean(c, &losses, &all)?;
            end(c, &mean)
        }
        "mean" => {
            let shares = c.elementwise_to(&shape, std::slice::from_ref(&labels), elem, |b, v| {
                let (at, skip) = class(b, &v[0]);
                weigh(b, &at, &skip)
            })?;
            let (total, shares) = (sum(c, &losses, &all, |_, v| v.clone())?, sum(c, &shares, &all, |_, v| v.clone())?);
            let mean = c.elementwise(&[total, shares], elem, |b, v| b.div(&v[0], &v[1]))?;
            end(c, &mean)
        }
        other => unsupported(format!("`reduction` is `{other}`")),
    }
}
