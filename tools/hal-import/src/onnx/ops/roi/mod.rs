//! Pooling of regions of interest.
pub(super) mod crop;
mod whole;

use super::{Entry, matmul::narrowed, pool::lowest, sample::clamp};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value, generic::map, problem::invalid,
};

pub(super) const OPS: &[Entry] = &[("RoiAlign", roi_align), ("MaxRoiPool", whole::max_roi_pool)];

/// The largest number of a list, none of which is taken as negative, as a size that is read when the program runs.
fn largest(c: &mut Context<'_>, list: &Value) -> Outcome<Dim> {
    let axes: Vec<_> = (0..list.rank()).collect();
    let most = c.reduce(list, &axes, Elem::I64, Num::I(0), |b, v, most| b.max(v, most));
    let most = c.read_dims(&most)?.remove(0);
    Ok(c.size_max(&most, &Dim::fixed(0)))
}

/// An image as a region reads it.
struct Source {
    ssa: String,
    ty: String,
    elem: Elem,
    wide: Elem,
    /// Height and width.
    sizes: [Scalar; 2],
    images: Scalar,
}

impl Source {
    fn of(c: &mut Context<'_>, x: &Value) -> Self {
        let [images, height, width] = [0, 2, 3].map(|i| Scalar::index(c.index(&x.shape[i])));
        Self { ssa: c.ssa(x), ty: x.ty(), elem: x.elem, wide: x.elem.accumulator(), sizes: [height, width], images }
    }

    /// The element of a channel of an image, whose numbers were checked.
    fn read(&self, b: &mut Body<'_>, image: &Scalar, channel: &Scalar, place: [&Scalar; 2]) -> Scalar {
        let (zero, one) = (b.index_constant(0), b.index_constant(1));
        let within = |b: &mut Body<'_>, at: &Scalar, size: &Scalar| {
            let last = b.sub(size, &one);
            let at = b.max(at, &zero);
            b.min(&at, &last)
        };
        let image = within(b, image, &self.images);
        let (y, x) = (within(b, place[0], &self.sizes[0]), within(b, place[1], &self.sizes[1]));
        let value = b.extract(&self.ssa, &self.ty, self.elem, &[image, channel.clone(), y, x]);
        b.cast(&value, self.wide)
    }
}

/// The input has rank 4, and something in its images.
fn images(c: &mut Context<'_>, x: &Value, rois: &Value, columns: i64) -> Outcome<(Value, Value)> {
    if x.rank() != 4 || rois.rank() != 2 || x.elem != rois.elem || !x.elem.is_float() {
        return invalid(format!("`{}` are no regions of images `{}`", rois.ty(), x.ty()));
    }
    c.require_size((rois, 1), &Dim::fixed(columns), "the numbers of a region")?;
    for i in [2, 3] {
        let text = format!("{} is {{0}}: the image is empty", crate::onnx::context::require::dimension(x, i));
        c.require(crate::onnx::context::require::Rule::NotZero(x.shape[i].clone()), &text, &[&x.shape[i]])?;
    }
    Ok((c.settle(x), c.settle(rois)))
}

/// The bins of a region along one dimension: start, size, and number of sampling points.
struct Bins {
    scale: f64,
    /// Whether positions are shifted by half an element.
    half: bool,
    ratio: i64,
    counts: [i64; 2],
}

impl Bins {
    /// `corners`: where the region begins and ends along dimension `d`. Start, size of a bin, points.
    fn along(&self, b: &mut Body<'_>, d: usize, corners: [&Scalar; 2]) -> [Scalar; 3] {
        let [start, end] = corners.map(|x| {
            let (scale, half) = (b.like(x, self.scale), b.like(x, if self.half { 0.5 } else { 0.0 }));
            let scaled = b.mul(x, &scale);
            b.sub(&scaled, &half)
        });
        let mut size = b.sub(&end, &start);
        if !self.half {
            // Regions are at least one element large.
            let one = b.like(&size, 1.0);
            size = b.max(&size, &one);
        }
        let count = b.like(&size, self.counts[d] as f64);
        let bin = b.div(&size, &count);
        let points = if self.ratio > 0 {
            b.like(&size, self.ratio as f64)
        } else {
            let points = b.math("ceil", &bin);
            let (none, most) = (b.like(&points, 0.0), b.like(&points, 16_777_216.0));
            clamp(b, &points, &none, &most)
        };
        [start, bin, points]
    }
}

fn roi_align(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, rois, numbers) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let (x, rois) = images(c, &x, &rois, 4)?;
    if numbers.rank() != 1 {
        return invalid(format!("the numbers of images `{}` are not a list", numbers.ty()));
    }
    c.require_same((&numbers, 0), (&rois, 0))?;
    c.require_range(&numbers, &Dim::fixed(0), &x.shape[0].offset(-1))?;
    let (rois, numbers) = (c.settle(&rois), c.settle(&numbers));
    // Before opset 16 there was no shift.
    let half = match n
        .string("coordinate_transformation_mode", if n.opset < 16 { "output_half_pixel" } else { "half_pixel" })
        .as_str()
    {
        "half_pixel" => true,
        "output_half_pixel" => false,
        other => return invalid(format!("`coordinate_transformation_mode` is `{other}`")),
    };
    let most = match n.string("mode", "avg").as_str() {
        "avg" => false,
        "max" => true,
        other => return invalid(format!("`mode` is `{other}`")),
    };
    let counts = [n.int("output_height", 1), n.int("output_width", 1)];
    let ratio = n.int("sampling_ratio", 0);
    if counts.iter().any(|&v| v < 1) || ratio < 0 {
        return invalid(format!("regions of {counts:?} bins of {ratio} samples"));
    }
    let source = Source::of(c, &x);
    let wide = source.wide;
    let bins = Bins { scale: n.float("spatial_scale", 1.0), half, ratio, counts };
    let regions = narrowed(c, &rois, wide)?;
    let column = |c: &mut Context<'_>, i: i64| c.take(&regions, 1, &Dim::fixed(i));
    // x before y.
    let corners = [[column(c, 1)?, column(c, 3)?], [column(c, 0)?, column(c, 2)?]];
    // As many samples as the largest region takes; smaller ones leave some out.
    let mut points = Vec::new();
    for (d, [start, end]) in corners.iter().enumerate() {
        points.push(if ratio > 0 {
            Dim::fixed(ratio)
        } else {
            let list = c.elementwise(&[start.clone(), end.clone()], Elem::I64, |b, v| {
                let [_, _, points] = bins.along(b, d, [&v[0], &v[1]]);
                b.cast(&points, Elem::I64)
            })?;
            largest(c, &list)?
        });
    }
    let shape = [vec![rois.shape[0].clone(), x.shape[1].clone()], counts.map(Dim::fixed).to_vec()].concat();
    let start = c.filled(wide, &shape, if most { lowest(wide) } else { Num::I(0) });
    let taps = c.empty(Elem::F32, &points);
    let iters = [vec![Iter::Parallel; 4], vec![Iter::Reduction; 2]].concat();
    let [[y0, y1], [x0, x1]] = &corners;
    let ins = [
        (&taps, map(&[4, 5])),
        (&numbers, map(&[0])),
        (y0, map(&[0])),
        (y1, map(&[0])),
        (x0, map(&[0])),
        (x1, map(&[0])),
    ];
    let sum = c.generic(&iters, &ins, &[(&start, map(&[0, 1, 2, 3]))], |b, v| {
        let image = b.to_index(&v[1]);
        let channel = b.position(1);
        let mut inside = b.int(Elem::Bool, 1);
        let mut sampled = inside.clone();
        let mut around = Vec::new();
        for (d, size) in source.sizes.iter().enumerate() {
            let [start, bin, points] = bins.along(b, d, [&v[2 + 2 * d], &v[3 + 2 * d]]);
            let (at, point) = (b.position(2 + d), b.position(4 + d));
            let (at, point) = (b.cast(&at, wide), b.cast(&point, wide));
            let live = b.compare(Order::Lt, &point, &points);
            sampled = b.and(&sampled, &live);
            let half = b.float(wide, 0.5);
            let (offset, along) = (b.mul(&at, &bin), b.add(&point, &half));
            let begin = b.add(&start, &offset);
            let along = b.mul(&along, &bin);
            let one = b.float(wide, 1.0);
            let safe = b.max(&points, &one);
            let along = b.div(&along, &safe);
            let place = b.add(&begin, &along);
            let (minus, zero, length) = (b.float(wide, -1.0), b.float(wide, 0.0), b.cast(size, wide));
            let (from, to) = (b.compare(Order::Ge, &place, &minus), b.compare(Order::Le, &place, &length));
            inside = b.and(&inside, &from);
            inside = b.and(&inside, &to);
            let last = b.sub(&length, &one);
            let place = clamp(b, &place, &zero, &last);
            let low = b.math("floor", &place);
            let rest = b.sub(&place, &low);
            let other = b.sub(&one, &rest);
            let whole = b.cast(&low, Elem::I64);
            let low = b.to_index(&whole);
            let one = b.index_constant(1);
            let high = b.add(&low, &one);
            around.push([(low, other), (high, rest)]);
        }
        let mut value: Option<Scalar> = None;
        for (y, by) in &around[0] {
            for (x, bx) in &around[1] {
                let weight = b.mul(by, bx);
                let element = source.read(b, &image, &channel, [y, x]);
                let part = b.mul(&weight, &element);
                value = Some(match value {
                    None => part,
                    // The largest of the weighted neighbours, not of their sums: as other implementations do.
                    Some(old) if most => b.max(&old, &part),
                    Some(old) => b.add(&old, &part),
                });
            }
        }
        let (value, zero) = (value.expect("four neighbours"), b.float(wide, 0.0));
        let value = b.select(&inside, &value, &zero);
        let more = if most { b.max(&v[6], &value) } else { b.add(&v[6], &value) };
        vec![b.select(&sampled, &more, &v[6])]
    });
    let lists: Vec<_> = [y0, y1, x0, x1].into_iter().cloned().collect();
    let mut inputs = sum;
    for v in &lists {
        inputs.push(c.reshape(v, &[v.shape[0].clone(), Dim::fixed(1), Dim::fixed(1), Dim::fixed(1)])?);
    }
    Ok(vec![c.elementwise_to(&shape, &inputs, x.elem, |b, v| {
        let [_, _, rows] = bins.along(b, 0, [&v[1], &v[2]]);
        let [_, _, columns] = bins.along(b, 1, [&v[3], &v[4]]);
        let count = b.mul(&rows, &columns);
        let (one, zero) = (b.like(&count, 1.0), b.like(&count, 0.0));
        let some = b.compare(Order::Ge, &count, &one);
        let result = if most {
            b.select(&some, &v[0], &zero)
        } else {
            let count = b.max(&count, &one);
            b.div(&v[0], &count)
        };
        b.cast(&result, x.elem)
    })?])
}
