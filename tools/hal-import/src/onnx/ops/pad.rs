//! `Pad`.
use super::Entry;
use crate::onnx::{
    Context, Dim, Node, Num, Order, Outcome, Scalar, Value,
    context::require::{Rule, dimension},
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("Pad", pad)];

/// Opset 1 has `paddings`, opset 2 `pads`, both attributes; opset 11 takes inputs, opset 18 also axes.
fn pad(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let attribute = n.ints("pads").or_else(|| n.ints("paddings"));
    let pads: Vec<Dim> = match attribute {
        Some(list) => list.into_iter().map(Dim::fixed).collect(),
        None => c.read_dims(n.input(1)?)?,
    };
    let axes = match n.optional(3).map(|v| v.tensor()) {
        None => (0..x.rank()).collect::<Vec<_>>(),
        Some(Some(t)) => t.ints().into_iter().map(|a| n.axis(a, x.rank())).collect::<Outcome<_>>()?,
        Some(None) => return unsupported("`axes` (input 3) is not a constant"),
    };
    if pads.len() != 2 * axes.len() {
        return invalid(format!("there are {} pads for {} axes", pads.len(), axes.len()));
    }
    let (mut low, mut high) = (vec![Dim::fixed(0); x.rank()], vec![Dim::fixed(0); x.rank()]);
    for (i, &axis) in axes.iter().enumerate() {
        (low[axis], high[axis]) = (pads[i].clone(), pads[i + axes.len()].clone());
    }
    // Negative pads cut.
    let cut = |d: &Dim| Dim::fixed(d.get().map_or(0, |v| (-v).max(0)));
    if low.iter().chain(&high).any(|d| d.get().is_none() && !c.is_size(d))
        && low.iter().chain(&high).any(|d| d.get().is_some_and(|v| v < 0))
    {
        return unsupported("some pads are negative and some are not known at import");
    }
    for d in low.iter().chain(&high).filter(|d| d.get().is_none()) {
        c.require_count(d, "a pad that only the run knows")?;
    }
    let (cut_low, cut_high): (Vec<_>, Vec<_>) = (low.iter().map(cut).collect(), high.iter().map(cut).collect());
    let sizes: Vec<_> =
        x.shape.iter().zip(cut_low.iter().zip(&cut_high)).map(|(d, (l, h))| d.minus(l).minus(h)).collect();
    for (i, d) in sizes.iter().enumerate() {
        let text = format!("negative pads leave {{0}} of the {{1}} of {}", dimension(&x, i));
        c.require(Rule::AtLeast(d.clone(), Dim::fixed(0)), &text, &[d, &x.shape[i]])?;
    }
    let label = x.label.clone();
    let x = c.slice(&x, &cut_low, &sizes, &vec![1; x.rank()]);
    let grow = |d: &Dim| if d.get().is_some_and(|v| v < 0) { Dim::fixed(0) } else { d.clone() };
    let (low, high): (Vec<_>, Vec<_>) = (low.iter().map(grow).collect(), high.iter().map(grow).collect());
    match n.string("mode", "constant").as_str() {
        "constant" => {
            let value = match n.optional(2) {
                None => c.scalar(x.elem, Num::F(n.float("value", 0.0))),
                Some(v) => match v.splat() {
                    Some(number) => c.scalar(x.elem, number),
                    None => {
                        let flat = c.reshape(v, &[])?;
                        let ssa = c.ssa(&flat);
                        c.body().extract(&ssa, &flat.ty(), x.elem, &[]).name
                    }
                },
            };
            Ok(vec![c.pad_with(&x, &low, &high, &value)])
        }
        mode @ ("edge" | "reflect" | "wrap") => mirrored(c, &Value { label, ..x }, &low, &high, mode),
        other => unsupported(format!("`mode` is `{other}`")),
    }
}

/// Pads with elements of the tensor itself.
fn mirrored(c: &mut Context<'_>, x: &Value, low: &[Dim], high: &[Dim], mode: &str) -> Outcome {
    let shape: Vec<_> = x.shape.iter().zip(low.iter().zip(high)).map(|(d, (l, h))| d.plus(l).plus(h)).collect();
    for (d, pad) in low.iter().chain(high).enumerate().map(|(i, pad)| (i % x.rank(), pad)).filter(|(_, pad)| !pad.is(0)) {
        let size = &x.shape[d];
        if mode == "reflect" {
            // The ends are not repeated, so that there is one position less to reflect.
            let text = format!("{} is {{0}}, too short to reflect {{1}} elements of it", dimension(x, d));
            c.require(Rule::AtLeast(size.clone(), pad.offset(1)), &text, &[size, pad])?;
        } else {
            let text = format!("{} is {{0}}, so that there is nothing to pad {{1}} elements with", dimension(x, d));
            c.require(Rule::NotZeroUnless(size.clone(), pad.clone()), &text, &[size, pad])?;
        }
    }
    let outside: Vec<_> = low.iter().chain(&x.shape).cloned().collect();
    let rank = x.rank();
    let plain: Vec<_> = low.iter().zip(high).map(|(l, h)| l.is(0) && h.is(0)).collect();
    let result = c.gather_at(x, &shape, &outside, |b, here, outside| {
        let mut at = Vec::new();
        for d in 0..rank {
            if plain[d] {
                at.push(here[d].clone());
                continue;
            }
            let (low, size) = (&outside[d], &outside[rank + d]);
            let (zero, one) = (b.index_constant(0), b.index_constant(1));
            let moved = b.sub(&here[d], low);
            let last = b.sub(size, &one);
            // Brings a position into 0..period, from any distance.
            let within = |b: &mut crate::onnx::Body<'_>, at: &Scalar, period: &Scalar| {
                let rem = b.rem(at, period);
                let up = b.add(&rem, period);
                let negative = b.compare(Order::Lt, &rem, &zero);
                b.select(&negative, &up, &rem)
            };
            at.push(match mode {
                "edge" => {
                    let low = b.max(&moved, &zero);
                    b.min(&low, &last)
                }
                "wrap" => within(b, &moved, size),
                _ => {
                    // There and back again, without repeating the ends; a size of 1 has nothing to mirror.
                    let two = b.index_constant(2);
                    let period = b.mul(&two, &last);
                    let period = b.max(&period, &one);
                    let phase = within(b, &moved, &period);
                    let back = b.sub(&period, &phase);
                    b.min(&phase, &back)
                }
            });
        }
        at
    });
    Ok(vec![result])
}
