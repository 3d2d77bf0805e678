//! Scales and sizes: the node's request, and the resulting axes.
use super::Axis;
use crate::onnx::{
    Context, Dim, Elem, Node, Num, Outcome, Scalar, Tensor, Value,
    problem::{invalid, unsupported},
};

/// A number that is known at import, or an element of a list of floats that the program has.
#[derive(Clone)]
pub(super) enum Number {
    Known(f64),
    Read(Value, usize),
}

impl Number {
    pub(super) fn known(&self) -> Option<f64> {
        match self {
            Self::Known(number) => Some(*number),
            Self::Read(..) => None,
        }
    }

    /// The number in a body, as f64. The list has a name in the module before the body begins.
    pub(super) fn scalar(&self, c: &mut Context<'_>) -> impl Fn(&mut crate::onnx::Body<'_>) -> Scalar + use<> {
        let number = self.clone();
        let ssa = match &number {
            Self::Read(list, _) => c.ssa(list),
            Self::Known(_) => String::new(),
        };
        move |b| match &number {
            Self::Known(number) => b.float(Elem::F64, *number),
            Self::Read(list, at) => {
                let at = if list.rank() == 0 { Vec::new() } else { vec![b.index_constant(*at as i64)] };
                let read = b.extract(&ssa, &list.ty(), list.elem, &at);
                b.cast(&read, Elem::F64)
            }
        }
    }
}

/// The node's request.
pub(super) enum Wanted {
    Scales(Vec<Number>),
    /// A list of integers.
    Sizes(Value),
}

/// A list of which only a run knows how many numbers it holds has as many as are asked for; the run checks that.
pub(super) fn of_length(c: &mut Context<'_>, v: &Value, count: usize) -> Outcome<Value> {
    if v.rank() != 1 || v.count().is_some() {
        return Ok(v.clone());
    }
    let count = Dim::fixed(count as i64);
    c.require_size((v, 0), &count, "as there are axes")?;
    Ok(Value { label: v.label.clone(), ..c.cast(v, &[count]) })
}

/// A list of floats that is an input, of `count` if it does not say how many; `None` where it is left out or empty.
pub(super) fn list(
    c: &mut Context<'_>,
    n: &Node,
    input: usize,
    name: &str,
    count: usize,
) -> Outcome<Option<Vec<Number>>> {
    let Some(v) = n.optional(input) else { return Ok(None) };
    let v = &of_length(c, v, count)?;
    if let Some(t) = v.tensor() {
        return Ok((t.len() > 0).then(|| t.numbers().map(|x| Number::Known(x.float())).collect()));
    }
    match v.count() {
        Some(0) => Ok(None),
        Some(count) if v.rank() <= 1 && count <= 64 => {
            Ok(Some((0..count as usize).map(|i| Number::Read(v.clone(), i)).collect()))
        }
        _ => unsupported(format!(
            "`{name}` (input {input}) is of type `{}`; how many numbers it holds must be known at import",
            v.ty()
        )),
    }
}

/// The axes of all dimensions; those in `picked` are resized.
pub(super) fn axes(
    c: &mut Context<'_>,
    x: &Value,
    picked: &[usize],
    wanted: Wanted,
    region: Option<Vec<Number>>,
    policy: &str,
) -> Outcome<Vec<Axis>> {
    let same = |d: &Dim| Axis { from: d.clone(), to: d.clone(), scale: None, region: None };
    let mut axes: Vec<_> = x.shape.iter().map(same).collect();
    let given = match &wanted {
        Wanted::Scales(scales) => scales.len(),
        Wanted::Sizes(sizes) => match (sizes.rank(), sizes.count()) {
            (1, Some(count)) => count as usize,
            _ => {
                return unsupported(format!(
                    "`sizes` (input 3) is of type `{}`; how many there are must be known at import",
                    sizes.ty()
                ));
            }
        },
    };
    if given != picked.len() {
        return invalid(format!("there are {given} scales or sizes for {} axes", picked.len()));
    }
    if let Some(region) = region {
        if region.len() != 2 * picked.len() {
            return invalid(format!("the region of interest has {} numbers for {} axes", region.len(), picked.len()));
        }
        for (i, &a) in picked.iter().enumerate() {
            axes[a].region = Some([region[i].clone(), region[i + picked.len()].clone()]);
        }
    }
    match wanted {
        Wanted::Scales(scales) => {
            for (&a, scale) in picked.iter().zip(scales) {
                let to = scaled(c, &axes[a].from, &scale)?;
                (axes[a].to, axes[a].scale) = (to, Some(scale));
            }
        }
        Wanted::Sizes(sizes) => {
            let sizes = c.read_dims(&sizes)?;
            for (i, size) in sizes.iter().enumerate() {
                c.require_count(size, &format!("number {i} of `sizes`"))?;
            }
            match policy {
                "stretch" => picked.iter().zip(sizes).for_each(|(&a, size)| axes[a].to = size),
                "not_larger" | "not_smaller" => keep_ratio(c, &mut axes, picked, &sizes, policy == "not_larger")?,
                other => return unsupported(format!("`keep_aspect_ratio_policy` is `{other}`")),
            }
        }
    }
    for axis in &mut axes {
        // Whole axes of the same size stay unchanged.
        if axis.from == axis.to && axis.scale.as_ref().is_some_and(|s| s.known() == Some(1.0)) {
            axis.scale = None;
        }
    }
    Ok(axes)
}

/// The size times the scale, rounded down. The product is one of f32, as those that write models compute it: 10 times 0.7
/// is 7. The specification has the length of the region as a factor, too; its reference and onnxruntime do not.
fn scaled(c: &mut Context<'_>, from: &Dim, scale: &Number) -> Outcome<Dim> {
    if let Some(s) = scale.known() {
        if !(s > 0.0 && s.is_finite()) {
            return invalid(format!("a scale is {s}"));
        }
        if let Some(from) = from.get() {
            return Ok(Dim::fixed((from as f32 * s as f32).floor() as i64));
        }
        if s == s.floor() && s < 1e6 {
            return Ok(from.times(s as i64));
        }
        // Powers of two are exact.
        if (1.0 / s).log2().fract() == 0.0 && s > 1e-6 && s < 1.0 {
            return Ok(c.size_over(from, &Dim::fixed((1.0 / s) as i64)));
        }
    }
    let from = dims(std::slice::from_ref(from));
    let scale = scale.scalar(c);
    let size = c.elementwise(&[from], Elem::I64, |b, v| {
        let from = b.cast(&v[0], Elem::F32);
        let scale = scale(b);
        let scale = b.cast(&scale, Elem::F32);
        let product = b.mul(&from, &scale);
        let whole = b.math("floor", &product);
        counted(b, &whole)
    })?;
    let size = c.read_dims(&size)?.remove(0);
    c.require_count(&size, "a scaled size")?;
    Ok(size)
}

/// Computes one scale for all axes, so that the result fits into the sizes, or covers them. Halves round up, as in the
/// specification.
fn keep_ratio(c: &mut Context<'_>, axes: &mut [Axis], picked: &[usize], sizes: &[Dim], least: bool) -> Outcome<()> {
    let froms: Vec<_> = picked.iter().map(|&a| axes[a].from.clone()).collect();
    if let (Some(sizes), Some(froms)) = (crate::onnx::dims::fixed(sizes), crate::onnx::dims::fixed(&froms)) {
        let ratios = sizes.iter().zip(&froms).map(|(&size, &from)| size as f64 / from as f64);
        let scale = if least { ratios.fold(f64::INFINITY, f64::min) } else { ratios.fold(0.0, f64::max) };
        for (&a, from) in picked.iter().zip(froms) {
            (axes[a].to, axes[a].scale) =
                (Dim::fixed((from as f64 * scale + 0.5).floor() as i64), Some(Number::Known(scale)));
        }
        return Ok(());
    }
    let (sizes, froms) = (dims(sizes), dims(&froms));
    let ratios = c.elementwise(&[sizes, froms.clone()], Elem::F64, |b, v| {
        let (size, from) = (b.cast(&v[0], Elem::F64), b.cast(&v[1], Elem::F64));
        b.div(&size, &from)
    })?;
    let start = Num::F(if least { f64::INFINITY } else { 0.0 });
    let scale =
        c.reduce(
            &ratios,
            &[0],
            Elem::F64,
            start,
            |b, ratio, so_far| if least { b.min(so_far, ratio) } else { b.max(so_far, ratio) },
        );
    let rounded = c.elementwise(&[froms, scale.clone()], Elem::I64, |b, v| {
        let from = b.cast(&v[0], Elem::F64);
        let (exact, half) = (b.mul(&from, &v[1]), b.float(Elem::F64, 0.5));
        let up = b.add(&exact, &half);
        let whole = b.math("floor", &up);
        counted(b, &whole)
    })?;
    for (&a, size) in picked.iter().zip(c.read_dims(&rounded)?) {
        c.require_count(&size, "a size that keeps the ratio")?;
        (axes[a].to, axes[a].scale) = (size, Some(Number::Read(scale.clone(), 0)));
    }
    Ok(())
}

/// Returns sizes as a list of the program.
fn dims(sizes: &[Dim]) -> Value {
    let count = Dim::fixed(sizes.len() as i64);
    match crate::onnx::dims::fixed(sizes) {
        Some(numbers) => Value::constant(Tensor::from_ints(Elem::I64, &numbers)),
        None => Value::dims(Elem::I64, vec![count], sizes.to_vec()),
    }
}

/// A float as a size; -1 for what is none.
fn counted(b: &mut crate::onnx::Body<'_>, float: &Scalar) -> Scalar {
    let (zero, most) = (b.like(float, 0.0), b.like(float, 9e15));
    let (some, few) =
        (b.compare(crate::onnx::Order::Ge, float, &zero), b.compare(crate::onnx::Order::Le, float, &most));
    let fine = b.and(&some, &few);
    let none = b.like(float, -1.0);
    let safe = b.select(&fine, float, &none);
    b.cast(&safe, Elem::I64)
}
