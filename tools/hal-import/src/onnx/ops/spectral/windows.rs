//! Windows, and the weights of mel bands.
use super::number;
use crate::onnx::{
    Body, Context, Dim, Elem, Node, Num, Order, Outcome, Scalar, Tensor, Value,
    context::require::Rule,
    problem::{invalid, unsupported},
};
use std::f64::consts::TAU;

/// Windows of more elements than this are computed when the program runs.
const FOLDED: i64 = 1 << 16;

/// The type that `output_datatype` names.
fn target(n: &Node) -> Outcome<Elem> {
    Elem::from_onnx(n.int("output_datatype", 1) as i32).or_else(|t| unsupported(format!("`output_datatype` is {t}")))
}

/// `a0 - a1 · cos(2πi / N) + a2 · cos(4πi / N)` with these factors; `N` is the size, or one less if not periodic.
pub(super) fn window(c: &mut Context<'_>, n: &Node, factors: [f64; 3]) -> Outcome {
    let size = number(c, n.input(0)?)?;
    let (elem, periodic) = (target(n)?, n.int("periodic", 1) != 0);
    c.require_count(&size, "`size`")?;
    if let Some(size) = size.get().filter(|s| *s <= FOLDED) {
        let last = if periodic { size } else { size - 1 } as f64;
        let at = |i: i64| {
            let turn = TAU * i as f64 / last;
            Num::F(factors[0] - factors[1] * turn.cos() + factors[2] * (2.0 * turn).cos())
        };
        let numbers = (0..size).map(at).map(|v| if elem.is_float() { v } else { Num::I(v.int()) });
        return Ok(vec![Value::constant(Tensor::from_numbers(elem, vec![size as usize], numbers))]);
    }
    let wide = if elem.is_float() { elem.accumulator() } else { Elem::F32 };
    let last = Scalar::index(c.index(&if periodic { size.clone() } else { size.offset(-1) }));
    Ok(vec![c.elementwise_to(&[size], &[], elem, |b, _| {
        let at = b.position(0);
        let (at, last, tau) = (b.cast(&at, wide), b.cast(&last, wide), b.float(wide, TAU));
        let part = b.div(&at, &last);
        let turn = b.mul(&part, &tau);
        let mut value = b.float(wide, factors[0]);
        for (times, factor) in [(1.0, -factors[1]), (2.0, factors[2])] {
            let (times, factor) = (b.float(wide, times), b.float(wide, factor));
            let angle = b.mul(&turn, &times);
            let wave = b.math("cos", &angle);
            let part = b.mul(&factor, &wave);
            value = b.add(&value, &part);
        }
        b.cast(&value, elem)
    })?])
}

/// Triangles of height 1 between neighbouring edges, which lie evenly on the mel scale.
pub(super) fn mel_weights(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (bands, length, rate) = (number(c, n.input(0)?)?, number(c, n.input(1)?)?, number(c, n.input(2)?)?);
    let (low, high, elem) = (n.input(3)?.clone(), n.input(4)?.clone(), target(n)?);
    if !low.elem.is_float() || low.elem != high.elem {
        return invalid(format!("the edges `{}` and `{}` are not floats of one type", low.ty(), high.ty()));
    }
    c.require_count(&bands, "`num_mel_bins`")?;
    c.require_count(&length, "`dft_length`")?;
    c.require(Rule::AtLeast(rate.clone(), Dim::fixed(1)), "`sample_rate` is {0}", &[&rate])?;
    let (low, high) = (c.reshape(&low, &[])?, c.reshape(&high, &[])?);
    // The bins of edges are sensitive to rounding, so they are computed like the specification's reference.
    let wide = Elem::F64;
    let [count, room, rate] = [bands.offset(2), length.offset(1), rate].map(|d| Scalar::index(c.index(&d)));
    let edges = c.elementwise_to(&[bands.offset(2)], &[low, high], Elem::I64, |b, v| {
        let scale = b.float(wide, 2595.0);
        let ten = b.float(wide, std::f64::consts::LN_10);
        let mel = |b: &mut Body<'_>, hertz: &Scalar| {
            let own = hertz.elem.expect("a float");
            let hertz = b.cast(hertz, wide);
            let seven = b.float(wide, 700.0);
            let ratio = b.div(&hertz, &seven);
            let log = b.math("log1p", &ratio);
            let scaled = b.mul(&log, &scale);
            let mel = b.div(&scaled, &ten);
            let narrow = b.cast(&mel, own);
            b.cast(&narrow, wide)
        };
        let (from, to) = (mel(b, &v[0]), mel(b, &v[1]));
        let at = b.position(0);
        let (at, count) = (b.cast(&at, wide), b.cast(&count, wide));
        let span = b.sub(&to, &from);
        let step = b.div(&span, &count);
        let part = b.mul(&at, &step);
        let mel = b.add(&part, &from);
        let ratio = b.div(&mel, &scale);
        let power = b.mul(&ratio, &ten);
        let grown = b.math("expm1", &power);
        let seven = b.float(wide, 700.0);
        let hertz = b.mul(&seven, &grown);
        let (room, rate) = (b.cast(&room, wide), b.cast(&rate, wide));
        let scaled = b.mul(&room, &hertz);
        let bin = b.div(&scaled, &rate);
        let bin = b.math("floor", &bin);
        b.cast(&bin, Elem::I64)
    })?;
    let half = c.size_over(&length, &Dim::fixed(2)).offset(1);
    c.require_range(&edges.clone().called("frequencies in bins"), &Dim::fixed(0), &half.offset(-1))?;
    let parts: Vec<_> = (0..3).map(|i| c.slice(&edges, &[Dim::fixed(i)], std::slice::from_ref(&bands), &[1])).collect();
    let wide = if elem == Elem::F64 { Elem::F64 } else { Elem::F32 };
    Ok(vec![c.elementwise_to(&[half, bands], &parts, elem, |b, v| {
        let bin = b.position(0);
        let bin = b.cast(&bin, Elem::I64);
        let [left, centre, right] = v else { unreachable!("three edges") };
        let ratio = |b: &mut Body<'_>, from: &Scalar, to: &Scalar, low: &Scalar, high: &Scalar| {
            let (above, below) = (b.sub(to, from), b.sub(high, low));
            let one = b.int(Elem::I64, 1);
            let below = b.max(&below, &one);
            let (above, below) = (b.cast(&above, wide), b.cast(&below, wide));
            b.div(&above, &below)
        };
        let (up, down) = (ratio(b, left, &bin, left, centre), ratio(b, &bin, right, centre, right));
        let (zero, one) = (b.float(wide, 0.0), b.float(wide, 1.0));
        // Where both edges fall into one bin, the peak stands alone.
        let (flat, peak) = (b.compare(Order::Eq, left, centre), b.compare(Order::Eq, &bin, centre));
        let lone = b.and(&flat, &peak);
        let (after_left, to_centre) = (b.compare(Order::Ge, &bin, left), b.compare(Order::Le, &bin, centre));
        let rising = b.and(&after_left, &to_centre);
        let (from_centre, to_right) = (b.compare(Order::Ge, &bin, centre), b.compare(Order::Lt, &bin, right));
        let falling = b.and(&from_centre, &to_right);
        let value = b.select(&rising, &up, &zero);
        let value = b.select(&lone, &one, &value);
        let value = b.select(&falling, &down, &value);
        b.cast(&value, elem)
    })?])
}
