//! Resizing: each axis separately, as a weighted sum over positions. If sizes and scales are known, positions and
//! weights are listed at import ([`table`]); otherwise the program computes them ([`run_time`]).
mod lengths;
mod replicate;
mod run_time;
mod table;

use super::Entry;
use crate::onnx::{
    Context, Dim, Elem, Node, Outcome, Value,
    context::require::{Rule, dimension},
    problem::{invalid, unsupported},
};
use lengths::{Number, Wanted};

pub(super) const OPS: &[Entry] = &[("Resize", resize), ("Upsample", upsample)];

/// What an element costs that is read by itself, in elements that are read as vectors.
const GATHERED: f64 = 8.0;

/// How positions and weights are computed; see the attributes of `Resize` in the specification.
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

/// An axis that is resized: its sizes before and after.
struct Axis {
    from: Dim,
    to: Dim,
    /// The scale; `None` for the quotient of the sizes.
    scale: Option<Number>,
    /// Start and end of the region of interest, of which 1 is the whole.
    region: Option<[Number; 2]>,
}

impl Axis {
    /// The axis in numbers, where all of them are known.
    fn fixed(&self) -> Option<table::Axis> {
        let (from, to) = (self.from.get()? as usize, self.to.get()? as usize);
        let scale = match &self.scale {
            Some(scale) => scale.known()?,
            None => to as f64 / from as f64,
        };
        let region = match &self.region {
            Some([start, end]) => (start.known()?, end.known()?),
            None => (0.0, 1.0),
        };
        Some(table::Axis { from, to, scale, region })
    }

    /// How much longer it becomes, if that is known.
    fn ratio(&self) -> Option<f64> {
        let sizes = self.from.get().zip(self.to.get()).map(|(from, to)| to as f64 / from as f64);
        sizes.or_else(|| self.scale.as_ref()?.known())
    }

    /// Whether the axis surely stays unchanged.
    fn is_kept(&self) -> bool {
        let scale = self.scale.as_ref().is_none_or(|s| s.known() == Some(1.0));
        let whole = self.region.as_ref().is_none_or(|[a, b]| (a.known(), b.known()) == (Some(0.0), Some(1.0)));
        self.from == self.to && scale && whole
    }
}

fn upsample(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let wanted = match n.floats("scales") {
        Some(list) => Wanted::Scales(list.into_iter().map(|s| Number::Known(s.into())).collect()),
        None => Wanted::Scales(lengths::list(c, n, 1, "scales", x.rank())?.unwrap_or_default()),
    };
    let plan = Plan {
        mode: n.string("mode", "nearest"),
        transform: "asymmetric".into(),
        nearest: "floor".into(),
        cubic: -0.75,
        antialias: false,
        exclude_outside: false,
        extrapolation: 0.0,
    };
    let picked: Vec<_> = (0..x.rank()).collect();
    let axes = lengths::axes(c, &x, &picked, wanted, None, "stretch")?;
    Ok(vec![apply(c, n, &x, axes, &plan)?])
}

fn resize(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
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
    let picked: Vec<usize> = match n.ints("axes") {
        Some(list) => list.into_iter().map(|a| n.axis(a, x.rank())).collect::<Outcome<_>>()?,
        None => (0..x.rank()).collect(),
    };
    // Opset 10 has scales as input 1 and nothing else.
    let place = if old { 1 } else { 2 };
    let sizes = n.optional(3).filter(|v| !old && !v.is_empty()).cloned();
    if sizes.is_some() && n.optional(place).is_some_and(|v| v.rank() == 1 && v.count().is_none()) {
        return unsupported("which of scales and sizes is empty only a run knows; leave one of them out");
    }
    let scales = lengths::list(c, n, place, "scales", picked.len())?;
    let wanted = match (scales, sizes) {
        (Some(_), Some(_)) => return invalid("both scales and sizes are given"),
        (Some(scales), _) => Wanted::Scales(scales),
        (_, Some(sizes)) => Wanted::Sizes(lengths::of_length(c, &sizes, picked.len())?),
        _ => return invalid("neither scales nor sizes are given"),
    };
    let crops = plan.transform == "tf_crop_and_resize";
    let region = if crops { lengths::list(c, n, 1, "roi", 2 * picked.len())? } else { None };
    let policy = n.string("keep_aspect_ratio_policy", "stretch");
    let mut axes = lengths::axes(c, &x, &picked, wanted, region, &policy)?;
    if plan.transform == "align_corners" && c.of_pytorch {
        // To the specification's reference the last element lies where the scale says, to PyTorch and onnxruntime on the corner.
        axes.iter_mut().for_each(|axis| axis.scale = None);
    }
    Ok(vec![apply(c, n, &x, axes, &plan)?])
}

/// The axes to resize, in the order that takes the least time: what shrinks early and grows late makes the passes between
/// small, and a pass along the last axis reads each element by itself.
fn passes(axes: &[Axis]) -> Vec<usize> {
    let mut passes: Vec<usize> = (0..axes.len()).filter(|&d| !axes[d].is_kept()).collect();
    let ratios: Option<Vec<f64>> = axes.iter().map(Axis::ratio).collect();
    let Some(ratios) = ratios.filter(|list| list.iter().all(|r| *r > 0.0)) else { return passes };
    // A pass takes time in proportion to `cost * ratio` and to all ratios before it. Two neighbours are in the better order if
    // those of the first one are larger here.
    let gain = |d: usize| {
        let cost = if d + 1 == axes.len() { GATHERED } else { 1.0 };
        (1.0 - ratios[d]) / (cost * ratios[d])
    };
    passes.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)));
    passes
}

/// Resizes all axes; `axes` has one entry per dimension.
fn apply(c: &mut Context<'_>, n: &Node, x: &Value, axes: Vec<Axis>, plan: &Plan) -> Outcome<Value> {
    if !["nearest", "linear", "cubic"].contains(&plan.mode.as_str()) {
        return unsupported(format!("`mode` is `{}`", plan.mode));
    }
    for (d, axis) in axes.iter().enumerate() {
        let text = format!("{} is {{0}}, from which {{1}} cannot be made", dimension(x, d));
        c.require(Rule::NotZeroUnless(axis.from.clone(), axis.to.clone()), &text, &[&axis.from, &axis.to])?;
    }
    let sizes: Vec<_> = axes.iter().map(|a| a.to.clone()).collect();
    if sizes.iter().any(|d| d.is(0)) {
        return Ok(c.empty(x.elem, &sizes));
    }
    if let Some(copies) = replicate::apply(c, x, &axes, plan)? {
        return Ok(copies);
    }
    // Integers are interpolated as floats, and cut at the end.
    let mixes = plan.mode != "nearest" && !x.elem.is_float();
    if mixes && x.elem == Elem::Bool {
        return unsupported("it interpolates booleans");
    }
    let mut value = if mixes {
        c.elementwise(std::slice::from_ref(x), Elem::F32, |b, v| b.cast(&v[0], Elem::F32))?
    } else {
        x.clone()
    };
    for d in passes(&axes) {
        let axis = &axes[d];
        value = match axis.fixed() {
            Some(axis) => table::apply(c, n, &value, d, &axis, plan)?,
            None => run_time::apply(c, &value, d, axis, plan)?,
        };
    }
    if mixes {
        value = c.elementwise(std::slice::from_ref(&value), x.elem, |b, v| b.cast(&v[0], x.elem))?;
    }
    Ok(value)
}
