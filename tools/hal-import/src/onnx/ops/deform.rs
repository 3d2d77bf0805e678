//! `DeformConv`: a convolution whose taps are displaced by offsets.
use super::{
    Entry,
    matmul::{narrowed, product},
    sample::{Mode, Padding, Sampler},
    window::Window,
};
use crate::onnx::{
    Context, Dim, Iter, Node, Outcome, Scalar,
    context::require::Rule,
    dims,
    generic::map,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("DeformConv", deform_conv)];

/// The columns of the convolution are read between elements; what follows is a product of matrices for each group.
fn deform_conv(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, w, offset) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let Some(rank) = x.rank().checked_sub(2).filter(|r| *r > 0 && w.rank() == x.rank() && offset.rank() == x.rank())
    else {
        return invalid(format!("`{}`, `{}` and `{}` are not of one rank, above 2", x.ty(), w.ty(), offset.ty()));
    };
    let Some(kernel) = n.ints("kernel_shape").filter(|k| !k.is_empty()).or_else(|| dims::fixed(&w.shape[2..])) else {
        return unsupported(format!(
            "the kernel `{}` has dynamic sizes; give `kernel_shape`, or fix them by `--dim` or `--input-shape`",
            w.ty()
        ));
    };
    let (groups, offset_groups) = (n.int("group", 1), n.int("offset_group", 1));
    if groups < 1 || offset_groups < 1 || kernel.len() != rank {
        return invalid(format!("{groups} groups, {offset_groups} groups of offsets, a kernel {kernel:?}"));
    }
    for (d, &k) in kernel.iter().enumerate() {
        c.require_size((&w, 2 + d), &Dim::fixed(k), "as `kernel_shape` says")?;
    }
    let taps: i64 = kernel.iter().product();
    let window = Window::of(c, n, &x.shape[2..], kernel.clone())?;
    let inputs = c.divided((&x, 1), groups, "groups")?;
    c.require_size((&w, 1), &inputs, "the input channels of a group")?;
    let outputs = c.divided((&w, 0), groups, "groups")?;
    let shared = c.divided((&x, 1), offset_groups, "groups of offsets")?;
    c.require_same((&offset, 0), (&x, 0))?;
    c.require_size(
        (&offset, 1),
        &Dim::fixed(offset_groups * taps * rank as i64),
        "a number for each group, tap and dimension",
    )?;
    let mask = n.optional(4).cloned();
    if let Some(mask) = &mask {
        if mask.rank() != x.rank() {
            return invalid(format!("the mask `{}` is not of the rank of the input", mask.ty()));
        }
        c.require_same((mask, 0), (&x, 0))?;
        c.require_size((mask, 1), &Dim::fixed(offset_groups * taps), "a number for each group and tap")?;
    }
    for v in [Some(&offset), mask.as_ref()].into_iter().flatten() {
        for d in 0..rank {
            c.require_size((v, 2 + d), &window.output[d], "as the result is")?;
        }
    }
    for i in 2..x.rank() {
        let text = format!("{} is {{0}}: there is nothing to read", crate::onnx::context::require::dimension(&x, i));
        c.require(Rule::NotZero(x.shape[i].clone()), &text, &[&x.shape[i]])?;
    }
    let (x, w, offset, mask) = (c.settle(&x), c.settle(&w), c.settle(&offset), mask.map(|m| c.settle(&m)));
    let output = c.settle_shape(&window.output);
    let wide = x.elem.accumulator();
    let sizes: Vec<_> = x.shape[2..].iter().map(|d| Scalar::index(c.index(d))).collect();
    let low: Vec<_> = window.low.iter().map(|d| Scalar::index(c.index(d))).collect();
    let (shared, ends) =
        (Scalar::index(c.index(&shared)), [offset_groups * taps * rank as i64 - 1, offset_groups * taps - 1]);
    let (ssa, ty) = (c.ssa(&x), x.ty());
    let (offset_ssa, offset_ty) = (c.ssa(&offset), offset.ty());
    let mask_ssa = mask.as_ref().map(|m| (c.ssa(m), m.ty()));
    let sampler =
        Sampler { ssa: &ssa, ty: &ty, elem: x.elem, wide, mode: Mode::Linear, padding: Padding::Zeros, corners: true };
    let shape = [x.shape[..2].to_vec(), kernel.iter().map(|&k| Dim::fixed(k)).collect(), output.clone()].concat();
    let columns = c.empty(wide, &shape);
    let all: Vec<_> = (0..shape.len()).collect();
    let columns = c.generic(&vec![Iter::Parallel; shape.len()], &[], &[(&columns, map(&all))], |b, _| {
        let here: Vec<_> = all.iter().map(|&d| b.position(d)).collect();
        let mut tap = b.div(&here[1], &shared);
        for (d, &size) in kernel.iter().enumerate() {
            let size = b.index_constant(size);
            let scaled = b.mul(&tap, &size);
            tap = b.add(&scaled, &here[2 + d]);
        }
        let read = |b: &mut crate::onnx::Body<'_>, (ssa, ty): (&str, &str), elem, row: &Scalar, end: i64| {
            let end = b.index_constant(end);
            let row = b.min(row, &end);
            let at = [&here[..1], &[row], &here[2 + rank..]].concat();
            let value = b.extract(ssa, ty, elem, &at);
            b.cast(&value, wide)
        };
        let mut places = Vec::new();
        for d in 0..rank {
            let (stride, dilation) = (b.index_constant(window.strides[d]), b.index_constant(window.dilations[d]));
            let (begin, reach) = (b.mul(&here[2 + rank + d], &stride), b.mul(&here[2 + d], &dilation));
            let place = b.add(&begin, &reach);
            let place = b.sub(&place, &low[d]);
            let place = b.cast(&place, wide);
            let (count, own) = (b.index_constant(rank as i64), b.index_constant(d as i64));
            let row = b.mul(&tap, &count);
            let row = b.add(&row, &own);
            let moved = read(b, (&offset_ssa, &offset_ty), offset.elem, &row, ends[0]);
            places.push(b.add(&place, &moved));
        }
        let mut value = sampler.read(b, &here[..2], &places, &sizes);
        if let (Some(mask), Some((ssa, ty))) = (&mask, &mask_ssa) {
            let factor = read(b, (ssa, ty), mask.elem, &tap, ends[1]);
            value = b.mul(&value, &factor);
        }
        vec![value]
    });
    let (area, depth) = (c.product(&output), inputs.times(taps));
    let groups = Dim::fixed(groups);
    let columns = c.reshape(&columns[0], &[x.shape[0].clone(), groups.clone(), depth.clone(), area])?;
    let weights = c.reshape(&w, &[groups, outputs, depth])?;
    let weights = narrowed(c, &weights, wide)?;
    let sum = product(c, &weights, &columns)?;
    let shape = [vec![x.shape[0].clone(), w.shape[0].clone()], output].concat();
    let mut parts = vec![c.reshape(&sum, &shape)?];
    if let Some(bias) = n.optional(3) {
        super::conv::per_channel(c, bias, (&w, 0))?;
        let bias = c.settle(bias);
        let mut list = bias.shape.clone();
        list.resize(1 + rank, Dim::fixed(1));
        parts.push(c.reshape(&bias, &list)?);
    }
    Ok(vec![c.elementwise_to(&shape, &parts, x.elem, |b, v| {
        let mut value = v[0].clone();
        if let Some(bias) = v.get(1) {
            let bias = b.cast(bias, wide);
            value = b.add(&value, &bias);
        }
        b.cast(&value, x.elem)
    })?])
}
