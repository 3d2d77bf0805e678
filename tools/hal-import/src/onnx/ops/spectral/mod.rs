//! Spectra: Fourier transforms, windows, and mel bands.
mod fourier;
mod windows;

use super::{Entry, matmul::narrowed};
use crate::onnx::{Context, Dim, Node, Outcome, Scalar, Value, context::require::Rule, problem::invalid};
use fourier::{Kind, transform};

pub(super) const OPS: &[Entry] = &[
    ("DFT", dft),
    ("STFT", stft),
    ("HannWindow", |c, n| windows::window(c, n, [0.5, 0.5, 0.0])),
    ("HammingWindow", |c, n| windows::window(c, n, [25.0 / 46.0, 21.0 / 46.0, 0.0])),
    ("BlackmanWindow", |c, n| windows::window(c, n, [0.42, 0.5, 0.08])),
    ("MelWeightMatrix", windows::mel_weights),
];

/// An integer, known or read when the program runs.
pub(super) fn number(c: &mut Context<'_>, v: &Value) -> Outcome<Dim> {
    let flat = c.reshape(v, &[])?;
    Ok(c.read_dims(&flat)?.remove(0))
}

/// The last dimension of a signal holds real numbers, or real and imaginary parts.
fn check_parts(c: &mut Context<'_>, x: &Value) -> Outcome<()> {
    let parts = x.shape[x.rank() - 1].clone();
    let text = "the last dimension of the signal is {0}, not 1 or 2";
    c.require(Rule::AtLeast(parts.clone(), Dim::fixed(1)), text, &[&parts])?;
    c.require(Rule::AtLeast(Dim::fixed(2), parts.clone()), text, &[&parts])
}

fn dft(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    if x.rank() < 2 || !x.elem.is_float() {
        return invalid(format!("`{}` is no signal of floats", x.ty()));
    }
    let kind = Kind { inverse: n.int("inverse", 0) != 0, onesided: n.int("onesided", 0) != 0 };
    check_parts(c, &x)?;
    let real = kind.inverse && kind.onesided;
    if real {
        c.require_size((&x, x.rank() - 1), &Dim::fixed(2), "as half a spectrum is complex")?;
    }
    let x = c.settle(&x);
    let signal = x.rank() - 1;
    // An attribute before opset 20.
    let axis = match n.optional(2) {
        Some(axis) if n.opset >= 20 => number(c, axis)?,
        _ => Dim::fixed(n.int("axis", if n.opset >= 20 { -2 } else { 1 })),
    };
    let place = Place::of(c, &x, &axis)?;
    let length = match n.optional(1) {
        Some(length) => number(c, length)?,
        None if real => place.size.offset(-1).times(2),
        None => place.size.clone(),
    };
    c.require(Rule::NotZero(place.size.clone()), "the signal has no elements", &[])?;
    let parts = x.shape[signal].clone();
    let stacked = place.open(c, &x, &[place.outer.clone(), place.size.clone(), place.inner.clone(), parts.clone()])?;
    let turned = c.transpose(&stacked, &[0, 2, 1, 3]);
    let rows = c.size_times(&place.outer, &place.inner);
    let rows = c.reshape(&turned, &[rows, place.size.clone(), parts])?;
    let done = transform(c, &n.name, &rows, &length, kind)?;
    let done = narrowed(c, &done, x.elem)?;
    let [_, given, parts] = [0, 1, 2].map(|i| done.shape[i].clone());
    let split = c.reshape(&done, &[place.outer.clone(), place.inner.clone(), given.clone(), parts.clone()])?;
    let turned = c.transpose(&split, &[0, 2, 1, 3]);
    let mut shape = place.shape(c, &x.shape[..signal], &given);
    shape.push(parts);
    Ok(vec![place.open(c, &turned, &shape)?])
}

/// The position of an axis, which may be known only at run time.
struct Place {
    axis: Dim,
    outer: Dim,
    size: Dim,
    inner: Dim,
}

impl Place {
    fn of(c: &mut Context<'_>, x: &Value, axis: &Dim) -> Outcome<Self> {
        let signal = x.rank() - 1;
        if let Some(at) = axis.get() {
            let at = if at < 0 { at + x.rank() as i64 } else { at };
            let Some(at) = usize::try_from(at).ok().filter(|at| *at < signal) else {
                return invalid(format!("axis {} is out of range for a signal `{}`", axis.constant(), x.ty()));
            };
            let (outer, inner) = (c.product(&x.shape[..at]), c.product(&x.shape[at + 1..signal]));
            return Ok(Self { axis: Dim::fixed(at as i64), outer, size: x.shape[at].clone(), inner });
        }
        let [given, zero, rank] = [axis.clone(), Dim::fixed(0), Dim::fixed(x.rank() as i64)].map(|d| c.index(&d));
        let negative = c.w.value(format!("arith.cmpi slt, {given}, {zero} : index"));
        let up = c.w.value(format!("arith.addi {given}, {rank} : index"));
        let at = c.w.value(format!("arith.select {negative}, {up}, {given} : index"));
        let at = c.fresh_number(at);
        let text = format!("axis {{0}} is out of range for a signal of rank {}", x.rank());
        c.require(Rule::AtLeast(at.clone(), Dim::fixed(0)), &text, &[axis])?;
        c.require(Rule::AtLeast(Dim::fixed(signal as i64 - 1), at.clone()), &text, &[axis])?;
        let mut parts = [Dim::fixed(1), Dim::fixed(1), Dim::fixed(1)];
        for (part, order) in parts.iter_mut().zip(["sgt", "eq", "slt"]) {
            for (i, d) in x.shape[..signal].iter().enumerate() {
                let own = chosen(c, &at, i, order, d, &Dim::fixed(1));
                *part = c.size_times(part, &own);
            }
        }
        let [outer, size, inner] = parts;
        Ok(Self { axis: at, outer, size, inner })
    }

    /// The shape whose size along the axis is another one.
    fn shape(&self, c: &mut Context<'_>, shape: &[Dim], size: &Dim) -> Vec<Dim> {
        if c.settle_dim(size) == c.settle_dim(&self.size) {
            return shape.to_vec();
        }
        let each = |(i, d): (usize, &Dim)| match self.axis.get() {
            Some(at) => {
                if at == i as i64 {
                    size.clone()
                } else {
                    d.clone()
                }
            }
            None => chosen(c, &self.axis, i, "eq", size, d),
        };
        shape.iter().enumerate().map(each).collect()
    }

    /// Reshapes with sizes that fit by construction.
    fn open(&self, c: &mut Context<'_>, value: &Value, shape: &[Dim]) -> Outcome<Value> {
        if self.axis.get().is_none() {
            let (own, wanted) = (c.product(&value.shape), c.product(shape));
            c.granted(&Rule::Equal(own, wanted));
        }
        c.reshape(value, shape)
    }
}

/// Computes `if axis <order> i then a else b`.
fn chosen(c: &mut Context<'_>, axis: &Dim, i: usize, order: &str, a: &Dim, b: &Dim) -> Dim {
    if a == b {
        return a.clone();
    }
    let (i, a, b) = (Dim::fixed(i as i64), c.settle_dim(a), c.settle_dim(b));
    let [axis, i, a, b] = [axis, &i, &a, &b].map(|d| c.index(d));
    let hit = c.w.value(format!("arith.cmpi {order}, {axis}, {i} : index"));
    let size = c.w.value(format!("arith.select {hit}, {a}, {b} : index"));
    c.fresh_symbol(size)
}

/// Transforms of frames that begin `frame_step` apart, each times the window.
fn stft(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    if x.rank() != 3 || !x.elem.is_float() {
        return invalid(format!("`{}` is no batch of signals of floats", x.ty()));
    }
    check_parts(c, &x)?;
    let x = c.settle(&x);
    let step = number(c, n.input(1)?)?;
    let window = n.optional(2).cloned();
    if let Some(w) = &window
        && w.rank() != 1
    {
        return invalid(format!("the window of type `{}` is not a list", w.ty()));
    }
    let length = match (n.optional(3), &window) {
        (Some(length), _) => number(c, length)?,
        (None, Some(w)) => w.shape[0].clone(),
        (None, None) => x.shape[1].clone(),
    };
    c.require(Rule::AtLeast(step.clone(), Dim::fixed(1)), "`frame_step` is {0}", &[&step])?;
    c.require(Rule::AtLeast(length.clone(), Dim::fixed(1)), "the length of a frame is {0}", &[&length])?;
    if let Some(w) = &window {
        c.require_size((w, 0), &length, "as `frame_length` says")?;
    }
    let size = x.shape[1].clone();
    c.require(
        Rule::AtLeast(size.clone(), length.clone()),
        "frames of {1} are longer than the signal of {0}",
        &[&size, &length],
    )?;
    let (length, size) = (c.settle_dim(&length), c.settle_dim(&size));
    let count = c.size_over(&size.minus(&length), &step).offset(1);
    let (batch, parts) = (x.shape[0].clone(), x.shape[2].clone());
    let wide = x.elem.accumulator();
    let shape = [batch.clone(), count.clone(), length.clone(), parts.clone()];
    let (step, last) = (Scalar::index(c.index(&step)), Scalar::index(c.index(&size.offset(-1))));
    let (ssa, ty) = (c.ssa(&x), x.ty());
    let mut inputs = Vec::new();
    if let Some(w) = &window {
        let w = c.settle(w);
        inputs.push(c.reshape(&w, &[length.clone(), Dim::fixed(1)])?);
    }
    let frames = c.elementwise_to(&shape, &inputs, wide, |b, v| {
        let [image, frame, at, part] = [0, 1, 2, 3].map(|d| b.position(d));
        let start = b.mul(&frame, &step);
        let place = b.add(&start, &at);
        let place = b.min(&place, &last);
        let value = b.extract(&ssa, &ty, x.elem, &[image, place, part]);
        let value = b.cast(&value, wide);
        match v.first() {
            Some(weight) => {
                let weight = b.cast(weight, wide);
                b.mul(&value, &weight)
            }
            None => value,
        }
    })?;
    let rows = c.size_times(&batch, &count);
    let rows = c.reshape(&frames, &[rows, length.clone(), parts])?;
    let kind = Kind { inverse: false, onesided: n.int("onesided", 1) != 0 };
    let done = transform(c, &n.name, &rows, &length, kind)?;
    let done = narrowed(c, &done, x.elem)?;
    let given = kind.output_length(c, &length);
    Ok(vec![c.reshape(&done, &[batch, count, given, Dim::fixed(2)])?])
}
