//! `ConvTranspose`: a convolution of the input with zeros between its elements; where that is more work than it has to be, see
//! [`super::subpixel`].
use super::{
    Entry,
    conv::{convolve, with_bias},
    subpixel::{Spread, convolve_steps},
    window::{Window, numbers},
};
use crate::onnx::{
    Context, Dim, Iter, Node, Num, Order, Outcome, Scalar, Value,
    context::require::{Rule, dimension},
    generic::map,
    problem::invalid,
};

pub(super) const OPS: &[Entry] = &[("ConvTranspose", conv_transpose)];

fn conv_transpose(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, w) = (n.input(0)?.clone(), n.input(1)?.clone());
    let groups = n.int("group", 1);
    if x.rank() < 3 || w.rank() != x.rank() {
        return invalid(format!("input `{}` and weight `{}` are not of one rank of at least 3", x.ty(), w.ty()));
    }
    let rank = x.rank() - 2;
    let w = super::conv::sized(c, n, &w)?;
    let known: Vec<_> = w.shape[2..].iter().map(|k| k.get().unwrap_or(1)).collect();
    let list = |name, count, default| numbers(n, rank, name, count, default);
    let (strides, dilations, pads, extra) = (
        list("strides", rank, 1)?,
        list("dilations", rank, 1)?,
        list("pads", 2 * rank, 0)?,
        list("output_padding", rank, 0)?,
    );
    let wanted = n.ints("output_shape").filter(|l| !l.is_empty()).map(|l| l[l.len().saturating_sub(rank)..].to_vec());
    if wanted.as_ref().is_some_and(|l| l.len() != rank) {
        return invalid(format!("`output_shape` has fewer than {rank} sizes"));
    }
    let auto = n.string("auto_pad", "NOTSET");
    if groups < 1 || [&strides, &dilations, &known].iter().any(|l| l.iter().any(|&v| v < 1)) {
        return invalid("a stride, dilation, kernel size or the number of groups is not positive");
    }
    let text = "the input has {0} channels, the weight {1}";
    c.require(Rule::Equal(x.shape[1].clone(), w.shape[0].clone()), text, &[&x.shape[1], &w.shape[0]])?;
    for d in 2..x.rank() {
        let text = format!("{} is {{0}}: there is nothing to spread", dimension(&x, d));
        c.require(Rule::AtLeast(x.shape[d].clone(), Dim::fixed(1)), &text, &[&x.shape[d]])?;
    }
    for d in 2..w.rank() {
        let text = format!("{} is {{0}}: the kernel is empty", dimension(&w, d));
        c.require(Rule::AtLeast(w.shape[d].clone(), Dim::fixed(1)), &text, &[&w.shape[d]])?;
    }
    let (x, w) = (c.settle(&x), c.settle(&w));
    // The padding of the convolution, and its output.
    let (mut low, mut output, mut spread) = (Vec::new(), Vec::new(), Vec::new());
    let mut steps = Vec::new();
    for d in 0..rank {
        let reach = w.shape[2 + d].offset(-1).times(dilations[d]);
        let full = x.shape[2 + d].offset(-1).times(strides[d]).plus(&reach).offset(1 + extra[d]);
        let target = match &wanted {
            Some(list) => Some(Dim::fixed(list[d])),
            None if auto.starts_with("SAME") => Some(x.shape[2 + d].times(strides[d])),
            None => None,
        };
        let target_is_given = target.is_some();
        let (begin, size) = match target {
            Some(size) => {
                let total = c.size_max(&full.minus(&size), &Dim::fixed(0));
                let half = c.size_over(&total, &Dim::fixed(2));
                (if auto == "SAME_UPPER" { half } else { total.minus(&half) }, size)
            }
            None if auto == "VALID" => (Dim::fixed(0), full),
            None => (Dim::fixed(pads[d]), full.offset(-pads[d] - pads[rank + d])),
        };
        let text = format!("the pads leave {{0}} of spatial dimension {d} of the result, whose input is {{1}}");
        c.require(Rule::AtLeast(size.clone(), Dim::fixed(0)), &text, &[&size, &x.shape[2 + d]])?;
        let end = if target_is_given || auto == "VALID" { 0 } else { pads[rank + d] };
        steps.push(steps_of(
            (strides[d], known[d]),
            &begin,
            &size,
            (!target_is_given).then(|| (&x.shape[2 + d], extra[d] - end)),
        ));
        low.push(reach.minus(&begin));
        spread.push(size.plus(&reach));
        output.push(size);
    }
    let is_plain = dilations.iter().all(|&d| d == 1);
    if let Some(steps) = steps.into_iter().collect::<Option<Vec<_>>>().filter(|_| is_plain)
        && let Some(sum) = convolve_steps(c, n, (&x, &w), &steps, groups as usize)?
    {
        return Ok(vec![with_bias(c, &sum, n.optional(2), x.elem)?]);
    }
    let window = Window {
        input: Vec::new(),
        low: Vec::new(),
        high: Vec::new(),
        reach: Vec::new(),
        strides: vec![1; rank],
        output,
        kernel: known,
        dilations,
    };
    let spread = spread_out(c, &x, &low, &strides, &spread);
    let weight = flipped(c, &w, groups)?;
    let sum = convolve(c, &spread, &weight, &window, groups)?;
    Ok(vec![with_bias(c, &sum, n.optional(2), x.elem)?])
}

/// A dimension of a result step by step, if it is known how many steps it has: because all sizes are known, or from the size of the input
/// and how many elements follow the last one of the kernel.
fn steps_of((stride, kernel): (i64, i64), begin: &Dim, size: &Dim, input: Option<(&Dim, i64)>) -> Option<Spread> {
    let begin = begin.get().filter(|begin| *begin >= 0)?;
    let over = |n: i64| (n + stride - 1).div_euclid(stride);
    let skipped = (begin / stride).min(over(kernel) - 1);
    let steps = match (size.get(), input) {
        (Some(size), _) => Dim::fixed(over(begin + size) - skipped),
        (None, Some((input, more))) if kernel + more > 0 => input.offset(over(kernel + more) - 1 - skipped),
        _ => return None,
    };
    let begin = begin - skipped * stride;
    let [stride, kernel, skipped, begin] = [stride, kernel, skipped, begin].map(|n| n as usize);
    Some(Spread { stride, kernel, skipped, begin, output: size.clone(), steps })
}

/// `out[p] = x[(p - low) / stride]` where that is a whole position of the input, else 0.
fn spread_out(c: &mut Context<'_>, x: &Value, low: &[Dim], strides: &[i64], sizes: &[Dim]) -> Value {
    let shape = [x.shape[..2].to_vec(), sizes.to_vec()].concat();
    let outside: Vec<_> = low.iter().chain(&x.shape[2..]).map(|d| Scalar::index(c.index(d))).collect();
    let (ssa, ty) = (c.ssa(x), x.ty());
    let out = c.empty(x.elem, &shape);
    let all: Vec<_> = (0..shape.len()).collect();
    c.generic(&vec![Iter::Parallel; shape.len()], &[], &[(&out, map(&all))], |b, _| {
        let mut at = vec![b.position(0), b.position(1)];
        let zero = b.index_constant(0);
        let mut inside: Option<Scalar> = None;
        for (d, &stride) in strides.iter().enumerate() {
            let (low, size) = (&outside[d], &outside[strides.len() + d]);
            let here = b.position(2 + d);
            let moved = b.sub(&here, low);
            let step = b.index_constant(stride);
            let place = b.div(&moved, &step);
            let rest = b.rem(&moved, &step);
            for check in [
                b.compare(Order::Eq, &rest, &zero),
                b.compare(Order::Ge, &moved, &zero),
                b.compare(Order::Lt, &place, size),
            ] {
                inside = Some(match inside {
                    Some(before) => b.and(&before, &check),
                    None => check,
                });
            }
            // Positions outside are read nowhere; some place must be named all the same.
            let one = b.index_constant(1);
            let last = b.sub(size, &one);
            let place = b.max(&place, &zero);
            at.push(b.min(&place, &last));
        }
        let value = b.extract(&ssa, &ty, x.elem, &at);
        let nothing = b.number(x.elem, Num::I(0));
        vec![match inside {
            Some(inside) => b.select(&inside, &value, &nothing),
            None => value,
        }]
    })
    .remove(0)
}

/// `[C, M/g, k…]` → `[M, C/g, k…]` with the kernel reversed.
fn flipped(c: &mut Context<'_>, w: &Value, groups: i64) -> Outcome<Value> {
    if w.shape[0].get().is_some_and(|d| d % groups != 0) {
        return invalid(format!("the weight's channels do not split into {groups} groups"));
    }
    let depth = c.divided((w, 0), groups, "groups")?;
    let rank = w.rank() - 2;
    let cut = c.reshape(w, &[vec![Dim::fixed(groups), depth.clone()], w.shape[1..].to_vec()].concat())?;
    let permutation: Vec<_> = [vec![0, 2, 1], (3..3 + rank).collect()].concat();
    let swapped = c.transpose(&cut, &permutation);
    let shape = [vec![w.shape[1].times(groups), depth], w.shape[2..].to_vec()].concat();
    let joined = c.reshape(&swapped, &shape)?;
    let sizes: Vec<_> = shape.iter().map(|d| d.get().unwrap_or(0)).collect();
    if let Some(known) = &joined.known
        && sizes.iter().all(|&s| s > 0)
    {
        let to: Vec<_> = sizes.iter().map(|&s| s as usize).collect();
        let steps = crate::onnx::tensor::strides(&to);
        let source = crate::onnx::tensor::positions(&to.clone(), move |at| {
            at.iter().enumerate().map(|(d, &i)| if d < 2 { i * steps[d] } else { (to[d] - 1 - i) * steps[d] }).sum()
        });
        return Ok(crate::onnx::layout::pick(known, &joined, shape, source));
    }
    Ok(c.gather_at(&joined, &shape, &shape, |b, here, lengths| {
        here.iter()
            .enumerate()
            .map(|(d, at)| {
                if d < 2 || sizes[d] == 1 {
                    return at.clone();
                }
                let one = b.index_constant(1);
                let last = b.sub(&lengths[d], &one);
                b.sub(&last, at)
            })
            .collect()
    }))
}
