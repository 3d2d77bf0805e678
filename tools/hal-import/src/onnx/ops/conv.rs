//! Convolutions.
use super::{
    Entry,
    integers::Integers,
    window::Window,
    zero_points::{along, centred, listed},
};
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Outcome, Value,
    context::require::{Rule, shown},
    generic::map,
    problem::invalid,
};

pub(super) const OPS: &[Entry] = &[("Conv", conv), ("ConvInteger", conv_integer)];

fn conv(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, w) = (n.input(0)?.clone(), n.input(1)?.clone());
    let steps = w.shape.iter().skip(1).try_fold(1i64, |n, d| n.checked_mul(d.get()?));
    if let Some(integers) = Integers::of(c, &x, &w, Some(0), steps)? {
        let sums = padded_conv(c, n, &integers.a, &integers.b)?;
        let bias = bias_of_channels(c, &sums, n.optional(2))?;
        return Ok(vec![integers.floats(c, &sums, 1, bias)?]);
    }
    let sum = padded_conv(c, n, &x, &w)?;
    Ok(vec![with_bias(c, &sum, n.optional(2), x.elem)?])
}

/// A bias for each channel, as it broadcasts to a sum; `None` if it is zero.
fn bias_of_channels(c: &mut Context<'_>, sum: &Value, bias: Option<&Value>) -> Outcome<Option<Value>> {
    let Some(bias) = bias else { return Ok(None) };
    per_channel(c, bias, (sum, 1))?;
    if bias.splat().is_some_and(|v| v.is_zero()) {
        return Ok(None);
    }
    let mut shape = bias.shape.clone();
    shape.resize(sum.rank() - 1, Dim::fixed(1));
    Ok(Some(c.reshape(bias, &shape)?))
}

/// Adds a bias for each channel and goes back from the accumulator's type.
pub(super) fn with_bias(c: &mut Context<'_>, sum: &Value, bias: Option<&Value>, elem: Elem) -> Outcome<Value> {
    let mut inputs = vec![sum.clone()];
    inputs.extend(bias_of_channels(c, sum, bias)?);
    if inputs.len() == 1 && sum.elem == elem {
        return Ok(sum.clone());
    }
    c.elementwise_to(&sum.shape.clone(), &inputs, elem, |b, v| {
        let mut result = v[0].clone();
        if let Some(bias) = v.get(1) {
            let bias = b.cast(bias, sum.elem);
            result = b.add(&result, &bias);
        }
        b.cast(&result, elem)
    })
}

/// A list has an entry for each index along a dimension.
pub(super) fn per_channel(c: &mut Context<'_>, list: &Value, (of, axis): (&Value, usize)) -> Outcome<()> {
    if list.rank() != 1 {
        return invalid(format!("{} of type `{}` is not a list", shown(list), list.ty()));
    }
    c.require_size((list, 0), &of.shape[axis], "as there are channels")
}

/// The weights with what `kernel_shape` says of their sizes.
pub(super) fn sized(c: &mut Context<'_>, n: &Node, w: &Value) -> Outcome<Value> {
    let Some(kernel) = n.ints("kernel_shape").filter(|k| !k.is_empty()) else { return Ok(w.clone()) };
    if kernel.len() + 2 != w.rank() {
        return invalid(format!("`kernel_shape` has {} numbers for weights `{}`", kernel.len(), w.ty()));
    }
    for (d, &size) in kernel.iter().enumerate() {
        c.require_size((w, 2 + d), &Dim::fixed(size), "as `kernel_shape` says")?;
    }
    Ok(c.settle(w))
}

/// Pads as the node says and convolves.
pub(super) fn padded_conv(c: &mut Context<'_>, n: &Node, x: &Value, w: &Value) -> Outcome<Value> {
    if x.rank() < 3 || w.rank() != x.rank() {
        return invalid(format!("input `{}` and weight `{}` are not of one rank of at least 3", x.ty(), w.ty()));
    }
    let w = &sized(c, n, w)?;
    let window = Window::of_dims(c, n, &x.shape[2..], &w.shape[2..])?;
    let padded = Value { label: x.label.clone(), ..window.pad(c, x, Num::I(0)) };
    convolve(c, &padded, w, &window, n.int("group", 1))
}

/// Convolves an input that is padded already; the result is of the accumulator's type.
pub(super) fn convolve(c: &mut Context<'_>, x: &Value, w: &Value, window: &Window, groups: i64) -> Outcome<Value> {
    let elem = x.elem.accumulator();
    let (channels, depth) = (&x.shape[1], &w.shape[1]);
    if groups < 1 {
        return invalid(format!("there are {groups} groups"));
    }
    let both = depth.times(groups);
    let text = format!("the input has {{0}} channels, the weight {{1}} in {groups} groups");
    c.require(Rule::Equal(channels.clone(), both), &text, &[channels, depth])?;
    let (x, w) = (&c.settle(x), &c.settle(w));
    let (filters, depth) = (&w.shape[0], &w.shape[1]);
    let shape = [vec![x.shape[0].clone(), filters.clone()], window.output.clone()].concat();
    let name = ["conv_1d_ncw_fcw", "conv_2d_nchw_fchw", "conv_3d_ncdhw_fcdhw"].get(window.rank() - 1);
    if let Some(name) = name.filter(|_| groups == 1) {
        let init = c.filled(elem, &shape, Num::I(0));
        return Ok(named(c, name, x, w, &init, window));
    }
    if filters.get().is_some_and(|f| f % groups != 0) {
        return invalid(format!("the filters do not split into {groups} groups"));
    }
    let per_group = c.divided((w, 0), groups, "groups")?;
    if depth.is(1) && per_group.is(1) {
        let name = ["depthwise_conv_1d_ncw_cw", "depthwise_conv_2d_nchw_chw", "depthwise_conv_3d_ncdhw_cdhw"]
            .get(window.rank() - 1);
        // The named operation of rank 3 has a multiplier; the general form below serves it.
        if let Some(name) = name.filter(|_| window.rank() < 3) {
            let flat = c.reshape(w, &[vec![filters.clone()], w.shape[2..].to_vec()].concat())?;
            let init = c.filled(elem, &shape, Num::I(0));
            return Ok(named(c, name, x, &flat, &init, window));
        }
    }
    let group = Dim::fixed(groups);
    let grouped_x =
        c.reshape(x, &[vec![x.shape[0].clone(), group.clone(), depth.clone()], x.shape[2..].to_vec()].concat())?;
    let in_groups = [vec![group.clone(), per_group.clone(), depth.clone()], w.shape[2..].to_vec()].concat();
    // Constant bytes stay constants.
    let grouped_w = match w.narrow.as_deref().filter(|_| w.elem == Elem::I32) {
        Some(bytes) => {
            let bytes = c.reshape(bytes, &in_groups)?;
            centred(c, &bytes, None)?
        }
        None => c.reshape(w, &in_groups)?,
    };
    let init = c.filled(elem, &[vec![x.shape[0].clone(), group, per_group], window.output.clone()].concat(), Num::I(0));
    let result = if window.rank() == 2 {
        named(c, "conv_2d_ngchw_gfchw", &grouped_x, &grouped_w, &init, window)
    } else {
        grouped(c, &grouped_x, &grouped_w, &init, window)
    };
    c.reshape(&result, &shape)
}

fn named(c: &mut Context<'_>, name: &str, x: &Value, w: &Value, init: &Value, window: &Window) -> Value {
    let (x_ssa, w_ssa, init_ssa, ty) = (c.ssa(x), c.ssa(w), c.ssa(init), init.ty());
    let text = format!(
        "linalg.{name} {} ins({x_ssa}, {w_ssa} : {}, {}) outs({init_ssa} : {ty}) -> {ty}",
        window.attributes(),
        x.ty(),
        w.ty()
    );
    c.value(text, init.elem, init.shape.clone())
}

/// `out[n, g, f, o…] = Σ x[n, g, c, o·s + k·d…] · w[g, f, c, k…]`.
fn grouped(c: &mut Context<'_>, x: &Value, w: &Value, init: &Value, window: &Window) -> Value {
    let rank = window.rank();
    let (depth, kernel) = (3 + rank, 4 + rank);
    let places: Vec<_> = (0..rank).map(|d| window.place(d, 3 + d, kernel + d)).collect();
    let weight: Vec<_> = [vec![1, 2, depth], (kernel..kernel + rank).collect()].concat();
    let out: Vec<_> = (0..depth).collect();
    let iters = [vec![Iter::Parallel; depth], vec![Iter::Reduction; 1 + rank]].concat();
    let ins = [(x, format!("d0, d1, d{depth}, {}", places.join(", "))), (w, map(&weight))];
    c.generic(&iters, &ins, &[(init, map(&out))], |b, v| {
        let (x, w) = (b.cast(&v[0], init.elem), b.cast(&v[1], init.elem));
        let product = b.mul(&x, &w);
        vec![b.add(&v[2], &product)]
    })
    .remove(0)
}

fn conv_integer(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, w) = (n.input(0)?.clone(), n.input(1)?.clone());
    if let Some(zero) = n.optional(3) {
        listed(c, zero, (&w, 0))?;
    }
    let zero_w = n.optional(3).cloned().map(|z| along(c, &z, 0, w.rank())).transpose()?;
    let x = centred(c, &x, n.optional(2))?;
    let w = centred(c, &w, zero_w.as_ref())?;
    Ok(vec![padded_conv(c, n, &x, &w)?])
}
