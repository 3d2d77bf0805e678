//! `Pad`.
use super::Entry;
use crate::onnx::{
    Context, Dim, Elem, Node, Num, Order, Outcome, Scalar, Tensor, Value,
    axes::Axes,
    context::require::{Rule, dimension},
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("Pad", pad), ("CenterCropPad", centre)];

/// Opset 1 has `paddings`, opset 2 `pads`, both attributes; opset 11 takes inputs, opset 18 also axes.
fn pad(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let attribute = n.ints("pads").or_else(|| n.ints("paddings"));
    let pads = match attribute {
        Some(list) => Value::constant(Tensor::from_ints(Elem::I64, &list)),
        None => n.input(1)?.clone(),
    };
    if pads.is_empty() && n.optional(3).is_some_and(Value::is_empty) {
        return Ok(vec![x]);
    }
    let axes = Axes::of(n, "axes", 3, x.rank())?;
    let (low, high) = sides(c, &pads, axes.as_ref(), x.rank())?;
    // Negative pads cut.
    let (mut cut, mut grow) = (Vec::new(), Vec::new());
    for d in low.iter().chain(&high) {
        let zero = Dim::fixed(0);
        cut.push(if c.is_size(d) { zero.clone() } else { c.size_max(&d.times(-1), &zero) });
        grow.push(c.size_max(d, &zero));
    }
    let (cut_low, cut_high) = cut.split_at(x.rank());
    let (low, high) = grow.split_at(x.rank());
    let sizes: Vec<_> =
        x.shape.iter().zip(cut_low.iter().zip(cut_high)).map(|(d, (l, h))| d.minus(l).minus(h)).collect();
    for (i, d) in sizes.iter().enumerate() {
        let text = format!("negative pads leave {{0}} of the {{1}} of {}", dimension(&x, i));
        c.require(Rule::AtLeast(d.clone(), Dim::fixed(0)), &text, &[d, &x.shape[i]])?;
    }
    let label = x.label.clone();
    let x = c.slice(&x, cut_low, &sizes, &vec![1; x.rank()]);
    let result = match n.string("mode", "constant").as_str() {
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
            c.pad_with(&x, low, high, &value)
        }
        mode @ ("edge" | "reflect" | "wrap") => mirrored(c, &Value { label, ..x }, low, high, mode)?,
        other => return unsupported(format!("`mode` is `{other}`")),
    };
    Ok(vec![c.as_declared(result, n.declared.first().and_then(Option::as_deref))?])
}

/// Returns the padding before and after each dimension: the list has first all pads before, then all pads after.
fn sides(c: &mut Context<'_>, pads: &Value, axes: Option<&Axes>, rank: usize) -> Outcome<(Vec<Dim>, Vec<Dim>)> {
    let [all] = &pads.shape[..] else { return invalid(format!("pads of type `{}` are not a list", pads.ty())) };
    let text = format!("{} is {{0}}, which does not split into pads before and behind", dimension(pads, 0));
    let known = match axes {
        None => Some(rank),
        Some(Axes::Known(axes)) => Some(axes.len()),
        Some(Axes::Data(list)) => list.count().map(|n| n as usize),
    };
    let half = match known {
        Some(count) => {
            let wanted = Dim::fixed(2 * count as i64);
            let text = format!("there are {{0}} pads for {count} axes");
            c.require(Rule::Equal(all.clone(), wanted.clone()), &text, &[all, &wanted])?;
            Dim::fixed(count as i64)
        }
        None => c.quotient(all, &Dim::fixed(2), &text)?,
    };
    let pads = c.settle(pads);
    let mut side = |start: Dim| {
        let part = c.slice(&pads, &[start], std::slice::from_ref(&half), &[1]);
        let part = Value { label: pads.label.clone(), ..part };
        c.per_axis(&part, axes, rank, 0, "`pads`")
    };
    Ok((side(Dim::fixed(0))?, side(half.clone())?))
}

/// Pads with elements of the tensor itself.
fn mirrored(c: &mut Context<'_>, x: &Value, low: &[Dim], high: &[Dim], mode: &str) -> Outcome<Value> {
    let shape: Vec<_> = x.shape.iter().zip(low.iter().zip(high)).map(|(d, (l, h))| d.plus(l).plus(h)).collect();
    for (d, pad) in low.iter().chain(high).enumerate().map(|(i, pad)| (i % x.rank(), pad)).filter(|(_, pad)| !pad.is(0))
    {
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
    // Whether positions are at most once around away.
    let fits = |pad: &Dim, size: &Dim| pad.get().zip(size.get()).is_some_and(|(pad, size)| pad <= size);
    let once: Vec<_> = (0..rank).map(|d| fits(&low[d], &x.shape[d]) && fits(&high[d], &x.shape[d])).collect();
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
                "wrap" if once[d] => {
                    let (behind, before) = (b.sub(&moved, size), b.add(&moved, size));
                    let (is_before, is_behind) =
                        (b.compare(Order::Lt, &moved, &zero), b.compare(Order::Lt, &last, &moved));
                    let at = b.select(&is_before, &before, &moved);
                    let at = b.select(&is_behind, &behind, &at);
                    let at = b.max(&at, &zero);
                    b.min(&at, &last)
                }
                "wrap" => within(b, &moved, size),
                _ => {
                    // There and back again, without repeating the ends: once, as the size was checked to allow. The last two steps change
                    // nothing; they show that no index is out of range.
                    let other = b.sub(&zero, &moved);
                    let phase = b.max(&moved, &other);
                    let two = b.index_constant(2);
                    let period = b.mul(&two, &last);
                    let back = b.sub(&period, &phase);
                    let at = b.min(&phase, &back);
                    let at = b.max(&at, &zero);
                    b.min(&at, &last)
                }
            });
        }
        at
    });
    Ok(result)
}

/// Cuts or pads dimensions around their middle; of an odd number the larger half is at the end.
fn centre(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axes = Axes::of(n, "axes", usize::MAX, x.rank())?;
    let count = match &axes {
        Some(Axes::Known(axes)) => axes.len(),
        _ => x.rank(),
    };
    let list = n.input(1)?;
    let wanted = c.read_list(list, Some(count), "`shape` (input 1)")?;
    if wanted.len() != count {
        return invalid(format!("there are {} sizes for {count} axes", wanted.len()));
    }
    let axes = match axes {
        Some(Axes::Known(axes)) => axes,
        _ => (0..count).collect(),
    };
    let (zero, two) = (Dim::fixed(0), Dim::fixed(2));
    let (mut offsets, mut sizes) = (vec![zero.clone(); x.rank()], x.shape.clone());
    let (mut low, mut high) = (vec![zero.clone(); x.rank()], vec![zero.clone(); x.rank()]);
    for (wanted, &axis) in wanted.iter().zip(&axes) {
        c.require_count(wanted, "a size of the shape")?;
        let size = &x.shape[axis];
        let (cut, grow) = (c.size_max(&size.minus(wanted), &zero), c.size_max(&wanted.minus(size), &zero));
        offsets[axis] = c.size_over(&cut, &two);
        sizes[axis] = c.size_min(size, wanted);
        low[axis] = c.size_over(&grow, &two);
        high[axis] = grow.minus(&low[axis]);
    }
    let part = c.slice(&x, &offsets, &sizes, &vec![1; x.rank()]);
    let padded = c.pad(&part, &low, &high, Num::I(0));
    let mut shape = x.shape.clone();
    for (wanted, &axis) in wanted.iter().zip(&axes) {
        shape[axis] = wanted.clone();
    }
    // The sum of its parts, in other words.
    let result = c.cast(&padded, &shape);
    Ok(vec![c.as_declared(result, n.declared.first().and_then(Option::as_deref))?])
}
