//! Axes whose sizes and scale are known: positions and weights are listed at import.
use super::Plan;
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Outcome, Scalar, Tensor, Value, generic::map, problem::unsupported,
};

/// An axis: sizes, the scale, and the region of interest.
pub(super) struct Axis {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) scale: f64,
    pub(super) region: (f64, f64),
}

/// For each output position, the same number of input positions and weights; `None` for positions outside.
struct Table {
    taps: usize,
    entries: Vec<Option<Vec<(usize, f64)>>>,
}

/// Positions are listed at import; a longer list is surely a mistake.
const LARGEST: usize = 1 << 20;

/// Resizes axis `d`.
pub(super) fn apply(c: &mut Context<'_>, n: &Node, x: &Value, d: usize, axis: &Axis, plan: &Plan) -> Outcome<Value> {
    if axis.to > LARGEST {
        return unsupported(format!("size {} of the result is larger than {LARGEST}", axis.to));
    }
    let table = table(axis, plan)?;
    along(c, n, x, d, &table, plan)
}

/// The position in the input of an output position.
fn origin(axis: &Axis, plan: &Plan, at: usize) -> Outcome<f64> {
    // The resized length is what the scale says, before it is cut to a whole number.
    let (at, from, to) = (at as f64, axis.from as f64, axis.from as f64 * axis.scale);
    Ok(match plan.transform.as_str() {
        "half_pixel" => (at + 0.5) / axis.scale - 0.5,
        "half_pixel_symmetric" => {
            // The middle stays the middle where sizes were rounded.
            let adjusted = axis.to as f64 / to;
            let offset = from / 2.0 * (1.0 - adjusted);
            offset + (at + 0.5) / axis.scale - 0.5
        }
        "pytorch_half_pixel" => {
            if axis.to > 1 {
                (at + 0.5) / axis.scale - 0.5
            } else {
                0.0
            }
        }
        "align_corners" => {
            if (to - 1.0).abs() > 1e-12 {
                at * (from - 1.0) / (to - 1.0)
            } else {
                0.0
            }
        }
        "asymmetric" => at / axis.scale,
        "tf_half_pixel_for_nn" => (at + 0.5) / axis.scale,
        "tf_crop_and_resize" => {
            let (start, end) = axis.region;
            let to = axis.to as f64;
            if axis.to > 1 {
                start * (from - 1.0) + at * (end - start) * (from - 1.0) / (to - 1.0)
            } else {
                0.5 * (start + end) * (from - 1.0)
            }
        }
        other => return unsupported(format!("`coordinate_transformation_mode` is `{other}`")),
    })
}

fn table(axis: &Axis, plan: &Plan) -> Outcome<Table> {
    let last = axis.from as i64 - 1;
    let mut entries = Vec::new();
    for at in 0..axis.to {
        let place = origin(axis, plan, at)?;
        if plan.transform == "tf_crop_and_resize" && !(0.0..=last as f64).contains(&place) {
            entries.push(None);
            continue;
        }
        let mut taps: Vec<(i64, f64)> = match plan.mode.as_str() {
            "nearest" => vec![(nearest(place, &plan.nearest)?, 1.0)],
            "linear" => filter(place, axis.scale, plan.antialias, 1.0, |d| (1.0 - d).max(0.0)),
            _ => filter(place, axis.scale, plan.antialias, 2.0, |d| cubic(d, plan.cubic)),
        };
        if plan.exclude_outside {
            taps.iter_mut().filter(|t| t.0 < 0 || t.0 > last).for_each(|t| t.1 = 0.0);
        }
        let sum: f64 = taps.iter().map(|t| t.1).sum();
        if (plan.exclude_outside || plan.antialias) && sum != 0.0 {
            taps.iter_mut().for_each(|t| t.1 /= sum);
        }
        entries.push(Some(taps.into_iter().map(|(i, w)| (i.clamp(0, last) as usize, w)).collect::<Vec<_>>()));
    }
    let taps = entries.iter().flatten().map(Vec::len).max().unwrap_or(1);
    Ok(Table { taps, entries })
}

/// The position that is read for `place`.
pub(super) fn nearest(place: f64, mode: &str) -> Outcome<i64> {
    Ok(match mode {
        "floor" => place.floor(),
        "ceil" => place.ceil(),
        "round_prefer_floor" => (place - 0.5).ceil(),
        "round_prefer_ceil" => (place + 0.5).floor(),
        other => return unsupported(format!("`nearest_mode` is `{other}`")),
    } as i64)
}

/// Positions around `place` with the weights of a kernel of the given radius; it is stretched to cover what shrinks.
fn filter(place: f64, scale: f64, antialias: bool, radius: f64, kernel: impl Fn(f64) -> f64) -> Vec<(i64, f64)> {
    let stretch = if antialias { scale.min(1.0) } else { 1.0 };
    let reach = radius / stretch;
    let first = if antialias { (place - reach).floor() as i64 + 1 } else { place.floor() as i64 + 1 - radius as i64 };
    let last = if antialias { (place + reach).ceil() as i64 - 1 } else { place.floor() as i64 + radius as i64 };
    (first..=last).map(|i| (i, kernel(((i as f64 - place) * stretch).abs()))).collect()
}

/// Computes Keys' cubic convolution kernel.
fn cubic(d: f64, a: f64) -> f64 {
    if d <= 1.0 {
        ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0
    } else if d < 2.0 {
        ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a
    } else {
        0.0
    }
}

/// `out[…, o, …] = Σ_t weight[o, t] · x[…, position[o, t], …]`.
fn along(c: &mut Context<'_>, n: &Node, x: &Value, axis: usize, table: &Table, plan: &Plan) -> Outcome<Value> {
    let (count, taps) = (table.entries.len(), table.taps);
    let positions: Vec<_> = table
        .entries
        .iter()
        .flat_map(|e| (0..taps).map(move |t| Num::I(e.as_ref().and_then(|e| e.get(t)).map_or(0, |e| e.0 as i128))))
        .collect();
    let weights: Vec<_> = table
        .entries
        .iter()
        .flat_map(|e| (0..taps).map(move |t| Num::F(e.as_ref().and_then(|e| e.get(t)).map_or(0.0, |e| e.1))))
        .collect();
    let mut shape = x.shape.clone();
    shape[axis] = Dim::fixed(count as i64);
    let rank = x.rank();
    let all: Vec<_> = (0..rank).collect();
    let (ssa, ty) = (c.ssa(x), x.ty());
    let last = x.shape[axis].get().map_or(0, |size| size - 1);
    let outside = table.entries.iter().any(Option::is_none);
    let flags = outside.then(|| {
        Value::constant(
            Tensor::from_numbers(Elem::Bool, vec![count], table.entries.iter().map(|e| Num::I(e.is_some().into())))
                .named(Some(format!("{}_inside_{axis}", n.name))),
        )
    });
    let read = |b: &mut crate::onnx::Body<'_>, position: &Scalar| {
        let index = b.to_index(position);
        // The positions are in bounds; only this code can prove it, which saves a run-time check.
        let (first, last) = (b.index_constant(0), b.index_constant(last));
        let index = b.max(&index, &first);
        let index = b.min(&index, &last);
        let mut at: Vec<_> = (0..rank).map(|d| b.position(d)).collect();
        at[axis] = index;
        b.extract(&ssa, &ty, x.elem, &at)
    };
    let result = if plan.mode == "nearest" {
        let positions = Value::constant(
            Tensor::from_numbers(Elem::I64, vec![count], positions).named(Some(format!("{}_positions_{axis}", n.name))),
        );
        let out = c.empty(x.elem, &shape);
        c.generic(&vec![Iter::Parallel; rank], &[(&positions, map(&[axis]))], &[(&out, map(&all))], |b, v| {
            vec![read(b, &v[0])]
        })
        .remove(0)
    } else {
        let elem = x.elem.accumulator();
        let positions = Value::constant(
            Tensor::from_numbers(Elem::I64, vec![count, taps], positions)
                .named(Some(format!("{}_positions_{axis}", n.name))),
        );
        let weights =
            Tensor::from_numbers(elem, vec![count, taps], weights).named(Some(format!("{}_weights_{axis}", n.name)));
        let weights = Value::constant(weights);
        let out = c.filled(elem, &shape, Num::I(0));
        let iters = [vec![Iter::Parallel; rank], vec![Iter::Reduction]].concat();
        let ins = [(&positions, map(&[axis, rank])), (&weights, map(&[axis, rank]))];
        let sum = c
            .generic(&iters, &ins, &[(&out, map(&all))], |b, v| {
                let element = read(b, &v[0]);
                let wide = b.cast(&element, elem);
                let part = b.mul(&wide, &v[1]);
                vec![b.add(&v[2], &part)]
            })
            .remove(0);
        super::super::matmul::narrowed(c, &sum, x.elem)?
    };
    let Some(flags) = flags else { return Ok(result) };
    let mut along = vec![Dim::fixed(1); rank - axis];
    along[0] = Dim::fixed(count as i64);
    let flags = c.reshape(&flags, &along)?;
    let value = plan.extrapolation;
    c.elementwise_to(&shape, &[flags, result], x.elem, |b, v| {
        let nothing = b.number(x.elem, Num::F(value));
        b.select(&v[0], &v[1], &nothing)
    })
}
