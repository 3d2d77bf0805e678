//! `MaxRoiPool`: regions of whole elements.
use super::{Source, images, largest};
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Order, Outcome, Value,
    generic::map,
    ops::{matmul::narrowed, pool::lowest, sample::clamp},
    problem::invalid,
};

/// Regions `[image, x1, y1, x2, y2]` of whole elements, both ends included, in bins that may overlap by one.
pub(super) fn max_roi_pool(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, rois) = (n.input(0)?.clone(), n.input(1)?.clone());
    let (x, rois) = images(c, &x, &rois, 5)?;
    let Some([height, width]) =
        n.ints("pooled_shape").and_then(|s| <[i64; 2]>::try_from(s).ok()).filter(|s| s.iter().all(|&v| v > 0))
    else {
        return invalid("`pooled_shape` is not two positive numbers");
    };
    let (counts, scale, elem) = ([height, width], n.float("spatial_scale", 1.0), x.elem);
    let source = Source::of(c, &x);
    let wide = source.wide;
    let regions = narrowed(c, &rois, wide)?;
    let column = |c: &mut Context<'_>, i: i64| c.take(&regions, 1, &Dim::fixed(i));
    let number = column(c, 0)?;
    let number = c.elementwise(&[number], Elem::I64, |b, v| b.cast(&v[0], Elem::I64))?.called("the numbers of images");
    c.require_range(&number, &Dim::fixed(0), &x.shape[0].offset(-1))?;
    // For each region and bin where it begins and ends, along both dimensions.
    let mut ends = Vec::new();
    for (d, (from, to)) in [(2, 4), (1, 3)].into_iter().enumerate() {
        let (from, to) = (column(c, from)?, column(c, to)?);
        let list = |v: &Value| vec![v.shape[0].clone(), Dim::fixed(1)];
        let (from, to) = (c.reshape(&from, &list(&from))?, c.reshape(&to, &list(&to))?);
        let shape = [rois.shape[0].clone(), Dim::fixed(counts[d])];
        let mut both = Vec::new();
        for last in [false, true] {
            let size = source.sizes[d].clone();
            both.push(c.elementwise_to(&shape, &[from.clone(), to.clone()], Elem::I64, |b, v| {
                let [start, end] = [0, 1].map(|i| {
                    let scale = b.float(wide, scale);
                    let scaled = b.mul(&v[i], &scale);
                    // Halves go away from 0.
                    b.math("round", &scaled)
                });
                let (one, count) = (b.float(wide, 1.0), b.float(wide, counts[d] as f64));
                let length = b.sub(&end, &start);
                let length = b.add(&length, &one);
                let length = b.max(&length, &one);
                let bin = b.div(&length, &count);
                let at = b.position(1);
                let at = b.cast(&at, wide);
                let at = if last { b.add(&at, &one) } else { at };
                let place = b.mul(&at, &bin);
                let place = b.math(if last { "ceil" } else { "floor" }, &place);
                let place = b.add(&place, &start);
                let (zero, size) = (b.float(wide, 0.0), b.cast(&size, wide));
                let place = clamp(b, &place, &zero, &size);
                b.cast(&place, Elem::I64)
            })?);
        }
        ends.push(both);
    }
    let mut extents = Vec::new();
    for both in &ends {
        let extent = c.elementwise(both, Elem::I64, |b, v| b.sub(&v[1], &v[0]))?;
        extents.push(largest(c, &extent)?);
    }
    let shape = [vec![rois.shape[0].clone(), x.shape[1].clone()], counts.map(Dim::fixed).to_vec()].concat();
    let start = c.filled(wide, &shape, lowest(wide));
    let taps = c.empty(Elem::F32, &extents);
    let iters = [vec![Iter::Parallel; 4], vec![Iter::Reduction; 2]].concat();
    let (rows, columns) = (&ends[0], &ends[1]);
    let ins = [
        (&taps, map(&[4, 5])),
        (&number, map(&[0])),
        (&rows[0], map(&[0, 2])),
        (&rows[1], map(&[0, 2])),
        (&columns[0], map(&[0, 3])),
        (&columns[1], map(&[0, 3])),
    ];
    let best = c.generic(&iters, &ins, &[(&start, map(&[0, 1, 2, 3]))], |b, v| {
        let (image, channel) = (b.to_index(&v[1]), b.position(1));
        let mut inside = b.int(Elem::Bool, 1);
        let mut place = Vec::new();
        for d in 0..2 {
            let (from, to, tap) = (b.to_index(&v[2 + 2 * d]), b.to_index(&v[3 + 2 * d]), b.position(4 + d));
            let at = b.add(&from, &tap);
            let before = b.compare(Order::Lt, &at, &to);
            inside = b.and(&inside, &before);
            place.push(at);
        }
        let value = source.read(b, &image, &channel, [&place[0], &place[1]]);
        let more = b.max(&v[6], &value);
        vec![b.select(&inside, &more, &v[6])]
    });
    let mut inputs = best;
    for (both, spread) in [(rows, [1, 2]), (columns, [1, 1])] {
        for v in both {
            let own = v.shape[1].clone();
            let to = if spread[1] == 2 {
                [v.shape[0].clone(), Dim::fixed(1), own, Dim::fixed(1)]
            } else {
                [v.shape[0].clone(), Dim::fixed(1), Dim::fixed(1), own]
            };
            inputs.push(c.reshape(v, &to)?);
        }
    }
    Ok(vec![c.elementwise_to(&shape, &inputs, elem, |b, v| {
        let (tall, broad) = (b.compare(Order::Lt, &v[1], &v[2]), b.compare(Order::Lt, &v[3], &v[4]));
        let some = b.and(&tall, &broad);
        let zero = b.like(&v[0], 0.0);
        // A bin without elements is 0.
        let value = b.select(&some, &v[0], &zero);
        b.cast(&value, elem)
    })?])
}
