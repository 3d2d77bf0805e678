//! `CropAndResize`: regions of images, each resized to one size.
use super::{Source, images};
use crate::onnx::{
    Context, Dim, Elem, Node, Order, Outcome,
    ops::{matmul::narrowed, sample::index_within},
    problem::invalid,
};

/// Regions are `[y1, x1, y2, x2]`, where 0 is the first row or column and 1 the last one. The corners of a result are
/// those of its region; what lies outside the image has `extrapolation_value`.
pub(in crate::onnx::ops) fn crop_and_resize(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, rois, numbers, size) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone(), n.input(3)?.clone());
    let (x, rois) = images(c, &x, &rois, 4)?;
    if numbers.rank() != 1 || size.rank() != 1 {
        return invalid(format!("`{}` and `{}` are not lists of images and of two sizes", numbers.ty(), size.ty()));
    }
    c.require_same((&numbers, 0), (&rois, 0))?;
    c.require_size((&size, 0), &Dim::fixed(2), "height and width of the result")?;
    c.require_range(&numbers, &Dim::fixed(0), &x.shape[0].offset(-1))?;
    let (rois, numbers, size) = (c.settle(&rois), c.settle(&numbers), c.settle(&size));
    let linear = match n.string("mode", "bilinear").as_str() {
        "bilinear" => true,
        "nearest" => false,
        other => return invalid(format!("`mode` is `{other}`, neither `bilinear` nor `nearest`")),
    };
    let outside = n.float("extrapolation_value", 0.0);
    let counts = c.read_dims_of(&size, Some(2))?;
    for (count, what) in counts.iter().zip(["the height of the result", "the width of the result"]) {
        c.require_count(count, what)?;
    }
    let source = Source::of(c, &x);
    let wide = source.wide;
    let regions = narrowed(c, &rois, wide)?;
    let flat = [rois.shape[0].clone(), Dim::fixed(1), Dim::fixed(1), Dim::fixed(1)];
    let mut inputs = vec![c.reshape(&numbers, &flat)?];
    for column in 0..4 {
        let column = c.take(&regions, 1, &Dim::fixed(column))?;
        inputs.push(c.reshape(&column, &flat)?);
    }
    let steps = [&counts[0], &counts[1]].map(|count| c.index(&count.offset(-1)));
    let steps = steps.map(crate::onnx::Scalar::index);
    let shape = [rois.shape[0].clone(), x.shape[1].clone(), counts[0].clone(), counts[1].clone()];
    Ok(vec![c.elementwise_to(&shape, &inputs, x.elem, |b, v| {
        let (image, channel) = (b.to_index(&v[0]), b.position(1));
        let mut inside = b.int(Elem::Bool, 1);
        let mut around = Vec::new();
        for d in 0..2 {
            let (start, end) = (&v[1 + d], &v[3 + d]);
            let (zero, one, half) = (b.float(wide, 0.0), b.float(wide, 1.0), b.float(wide, 0.5));
            let length = b.cast(&source.sizes[d], wide);
            let last = b.sub(&length, &one);
            let (step, at) = (b.cast(&steps[d], wide), b.position(2 + d));
            let at = b.cast(&at, wide);
            // One row or column lies in the middle of its region.
            let (span, sum) = (b.sub(end, start), b.add(start, end));
            let safe = b.max(&step, &one);
            let (from, span) = (b.mul(start, &last), b.mul(&span, &last));
            let scale = b.div(&span, &safe);
            let along = b.mul(&at, &scale);
            let (along, middle) = (b.add(&from, &along), b.mul(&half, &sum));
            let middle = b.mul(&middle, &last);
            let several = b.compare(Order::Gt, &step, &zero);
            let place = b.select(&several, &along, &middle);
            let (after, before) = (b.compare(Order::Ge, &place, &zero), b.compare(Order::Le, &place, &last));
            inside = b.and(&inside, &after);
            inside = b.and(&inside, &before);
            let low = b.math(if linear { "floor" } else { "round" }, &place);
            let rest = b.sub(&place, &low);
            let low = index_within(b, &low, &source.sizes[d]);
            let next = b.index_constant(1);
            let high = b.add(&low, &next);
            around.push((low, high, rest));
        }
        let [(top, bottom, down), (left, right, across)] = &around[..] else { unreachable!("two dimensions") };
        let read = |b: &mut _, y, x| source.read(b, &image, &channel, [y, x]);
        let value = if linear {
            let mut rows = Vec::new();
            for y in [top, bottom] {
                let (l, r) = (read(b, y, left), read(b, y, right));
                let step = b.sub(&r, &l);
                let step = b.mul(&step, across);
                rows.push(b.add(&l, &step));
            }
            let step = b.sub(&rows[1], &rows[0]);
            let step = b.mul(&step, down);
            b.add(&rows[0], &step)
        } else {
            read(b, top, left)
        };
        let outside = b.like(&value, outside);
        let value = b.select(&inside, &value, &outside);
        b.cast(&value, x.elem)
    })?])
}
