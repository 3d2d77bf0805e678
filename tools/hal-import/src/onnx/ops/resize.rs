//! Resizing: each axis by itself, as a sum over a table of positions and weights that is made at import.
use super::Entry;
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Outcome, Scalar, Tensor, Value,
    generic::map,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("Resize", resize), ("Upsample", upsample)];

/// How positions and weights are found; see the attributes of `Resize` in the specification.
struct Plan {
    mode: String,
    /// `coordinate_transformation_mode`.
    transform: String,
    nearest: String,
    cubic: f64,
    antialias: bool,
    exclude_outside: bool,
    extrapolation: f64,
}

/// An axis: sizes, the scale, and the region of interest.
struct Axis {
    from: usize,
    to: usize,
    scale: f64,
    region: (f64, f64),
}

/// For each output position, the same number of input positions and weights; `None` for what lies outside.
struct Table {
    taps: usize,
    entries: Vec<Option<Vec<(usize, f64)>>>,
}

/// Positions are listed at import; a longer list is surely a mistake.
const LARGEST: usize = 1 << 20;

fn upsample(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let scales: Vec<f64> = match n.floats("scales") {
        Some(list) => list.into_iter().map(f64::from).collect(),
        None => match n.input(1)?.tensor() {
            Some(t) => t.numbers().map(Num::float).collect(),
            None => return unsupported("`scales` (input 1) is not a constant"),
        },
    };
    let mode = n.string("mode", "nearest");
    let plan = Plan {
        mode,
        transform: "asymmetric".into(),
        nearest: "floor".into(),
        cubic: -0.75,
        antialias: false,
        exclude_outside: false,
        extrapolation: 0.0,
    };
    let Some(shape) = crate::onnx::dims::fixed(&x.shape) else { return unsupported("a dimension is dynamic") };
    if scales.len() != shape.len() {
        return invalid(format!("there are {} scales for rank {}", scales.len(), shape.len()));
    }
    let axes = shape
        .iter()
        .zip(&scales)
        .map(|(&d, &s)| Axis { from: d as usize, to: (d as f64 * s).floor() as usize, scale: s, region: (0.0, 1.0) })
        .collect();
    Ok(vec![apply(c, n, &x, axes, &plan)?])
}

fn resize(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let Some(shape) = crate::onnx::dims::fixed(&x.shape) else { return unsupported("a dimension is dynamic") };
    let rank = shape.len();
    let list = |input: usize, name: &str| -> Outcome<Option<Vec<f64>>> {
        match n.optional(input) {
            None => Ok(None),
            Some(v) => match v.tensor() {
                Some(t) if t.len() == 0 => Ok(None),
                Some(t) => Ok(Some(t.numbers().map(Num::float).collect())),
                None => unsupported(format!("`{name}` (input {input}) is not a constant")),
            },
        }
    };
    // Opset 10 has scales as input 1 and nothing else.
    let (roi, scales, sizes) = if n.opset < 11 {
        (None, list(1, "scales")?, None)
    } else {
        (list(1, "roi")?, list(2, "scales")?, list(3, "sizes")?)
    };
    let picked: Vec<usize> = match n.ints("axes") {
        Some(list) => list.into_iter().map(|a| n.axis(a, rank)).collect::<Outcome<_>>()?,
        None => (0..rank).collect(),
    };
    let old = n.opset < 11;
    let plan = Plan {
        mode: n.string("mode", "nearest"),
        transform: if old { "asymmetric".into() } else { n.string("coordinate_transformation_mode", "half_pixel") },
        nearest: if old { "floor".into() } else { n.string("nearest_mode", "round_prefer_floor") },
        cubic: n.float("cubic_coeff_a", -0.75),
        antialias: n.int("antialias", 0) != 0,
        exclude_outside: n.int("exclude_outside", 0) != 0,
        extrapolation: n.float("extrapolation_value", 0.0),
    };
    let mut axes: Vec<_> =
        shape.iter().map(|&d| Axis { from: d as usize, to: d as usize, scale: 1.0, region: (0.0, 1.0) }).collect();
    let given = scales.as_ref().or(sizes.as_ref()).map_or(0, Vec::len);
    if given != picked.len() {
        return invalid(format!("there are {given} scales or sizes for {} axes", picked.len()));
    }
    // One scale for all axes, so that the result fits into or covers the sizes.
    let policy = n.string("keep_aspect_ratio_policy", "stretch");
    let ratios = sizes.as_ref().map(|s| s.iter().zip(&picked).map(|(s, &a)| s / shape[a] as f64).collect::<Vec<_>>());
    let common = match (policy.as_str(), &ratios) {
        ("not_larger", Some(r)) => Some(r.iter().copied().fold(f64::INFINITY, f64::min)),
        ("not_smaller", Some(r)) => Some(r.iter().copied().fold(0.0, f64::max)),
        _ => None,
    };
    for (i, &a) in picked.iter().enumerate() {
        let axis = &mut axes[a];
        if let Some(roi) = &roi
            && roi.len() == 2 * picked.len()
        {
            axis.region = (roi[i], roi[i + picked.len()]);
        }
        match (&scales, &sizes) {
            (Some(scales), _) => {
                axis.scale = scales[i];
                let whole = if plan.transform == "tf_crop_and_resize" { axis.region.1 - axis.region.0 } else { 1.0 };
                axis.to = (axis.from as f64 * whole * scales[i]).floor() as usize;
            }
            (_, Some(sizes)) => match common {
                Some(scale) => {
                    axis.scale = scale;
                    // Halves go up, as the specification's rounding does.
                    axis.to = (axis.from as f64 * scale + 0.5).floor() as usize;
                }
                None => {
                    axis.scale = sizes[i] / axis.from as f64;
                    axis.to = sizes[i] as usize;
                }
            },
            _ => return invalid("neither scales nor sizes are given"),
        }
    }
    Ok(vec![apply(c, n, &x, axes, &plan)?])
}

fn apply(c: &mut Context<'_>, n: &Node, x: &Value, axes: Vec<Axis>, plan: &Plan) -> Outcome<Value> {
    if !["nearest", "linear", "cubic"].contains(&plan.mode.as_str()) {
        return unsupported(format!("`mode` is `{}`", plan.mode));
    }
    let mut value = x.clone();
    for (d, axis) in axes.into_iter().enumerate() {
        let crops = plan.transform == "tf_crop_and_resize" && axis.region != (0.0, 1.0);
        if axis.from == axis.to && axis.scale == 1.0 && !crops {
            continue;
        }
        if axis.from == 0 || axis.to == 0 {
            let mut shape = value.shape.clone();
            shape[d] = Dim::fixed(axis.to as i64);
            value = c.empty(value.elem, &shape);
            continue;
        }
        if axis.to > LARGEST {
            return unsupported(format!("size {} of the result is larger than {LARGEST}", axis.to));
        }
        let table = table(&axis, plan)?;
        value = along(c, n, &value, d, &table, plan)?;
    }
    Ok(value)
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

fn nearest(place: f64, mode: &str) -> Outcome<i64> {
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

/// Keys' cubic convolution kernel.
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
    let outside = table.entries.iter().any(Option::is_none);
    let flags = outside.then(|| {
        Value::constant(
            Tensor::from_numbers(Elem::Bool, vec![count], table.entries.iter().map(|e| Num::I(e.is_some().into())))
                .named(Some(format!("{}_inside_{axis}", n.name))),
        )
    });
    let read = |b: &mut crate::onnx::Body<'_>, position: &Scalar| {
        let index = b.to_index(position);
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
        if !x.elem.is_float() {
            return unsupported(format!("it interpolates elements of type {:?}", x.elem));
        }
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
        super::matmul::narrowed(c, &sum, x.elem)?
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
