//! Convolutions of bytes by Winograd's algorithm, in integers and therefore exact: for CPUs that multiply 16-bit numbers in pairs, and no
//! bytes. Transformed inputs and filters are words; the filters are four times as large as by definition, so that they are integers, and the sums
//! are divided by four in the end. Sums of products may wrap around on the way: what they add up to is right.
use super::bytes::{widened, widened_bytes};
use super::convolution::Convolution;
use super::site::pads_with_zeros;
use super::{Weights, winograd};
use halyard_ir::{Attr, Op, Structured, Value, WeightLayout};

/// What the steps cost, in products: a product, what follows the sums of a filter in a tile, and reading a transformed filter's element. A fit
/// to 110 convolutions on Zen 3 (AVX2, 2026-11-29), of which 101 take the faster way, and no other one loses more than 7 %.
const PRODUCT: f64 = 0.88;
const AFTER: f64 = 160.0;
const READ: f64 = 2.4;
/// How much faster it must be than the plain sum.
const FASTER: f64 = 1.05;
/// What the result times four must be below.
const LARGEST: i64 = 1 << 31;

/// Rewrites one convolution, if its filters are signed bytes that are made wider first, its input bytes less a zero point, and it pays with vectors
/// of so many `lanes` of i32.
pub(super) fn rewrite(op: Op, weights: &mut Weights, lanes: i64) -> Option<()> {
    let (wider, bytes) = widened_bytes(op.operand(1), 4)?;
    let c = Convolution::of_integers(op)?;
    let [_, channels, ..] = c.filter;
    let fits = channels * 9 * greatest(c.x)? * 128 * 4 < LARGEST;
    let ones = |of: [i64; 2]| of == [1, 1];
    if c.filter[2..] != [3, 3] || !ones(c.stride) || !ones(c.dilation) || !fits || !pays(&c, lanes) {
        return None;
    }
    let layout = WeightLayout::Winograd2Words;
    let u = weights.pack(weights.packed(bytes, layout)?);
    let site = c.site();
    let u = widened(&site.at, u, site.elem);
    let four = winograd::convolved(&c, layout, c.x, u);
    let all = ["d0, d1, d2, d3"; 2];
    let by = site.at.constant(Attr::integer(site.elem, 2));
    let y = site.at.generic(&[four], &all, (4, 0), site.empty(&c.output, &c.open), |inside, e| {
        inside.value("arith.shrsi", &[e[0], by], site.elem, &[])
    });
    c.becomes(y.result(0));
    wider.erase();
    Some(())
}

/// Whether tiles of four by four save more than they cost.
fn pays(c: &Convolution, lanes: i64) -> bool {
    let [filters, channels, ..] = c.filter;
    let Some(places) = c.places() else { return false };
    let filled = |to: i64| ((filters + to - 1) / to * to) as f64;
    let (channels, block) = (channels as f64, WeightLayout::BLOCK as i64);
    let tiles = places.iter().map(|n| (n + 1) / 2).product::<i64>() as f64;
    let direct = (places[0] * places[1] * 9) as f64 * filled(lanes) * channels;
    let transformed = 16.0 * filled(block) * channels;
    direct >= FASTER * (PRODUCT * tiles * transformed + AFTER * tiles * filled(lanes) + READ * transformed)
}

/// The greatest magnitude of the elements of a tensor, if they are bytes that are made wider, perhaps less a zero point, perhaps with zeros
/// around them.
fn greatest(x: Value) -> Option<i64> {
    let x = match x.def().filter(|d| d.is("tensor.pad")) {
        Some(pad) => {
            let source = pad.operand(0);
            let between = source.ty().shape().iter().zip(x.ty().shape()).take(2).all(|(a, b)| *a == b);
            (between && pads_with_zeros(pad)).then_some(source)?
        }
        None => x,
    };
    let node = x.def().filter(|d| d.is("linalg.generic"))?;
    let structured = Structured::of(node)?;
    let body = node.body()?;
    let byte = |value: Value| {
        let op = value.def().filter(|d| d.is("arith.extui") || d.is("arith.extsi"))?;
        let from = op.operand(0);
        (from.ty().is_integer() && from.ty().bits() == 8).then_some(if op.is("arith.extui") { 255 } else { 128 })
    };
    let result = body.terminator()?.operand(0);
    // A zero point may be the only element of a tensor.
    let parallel = structured.loops() == 4
        && structured.maps.iter().zip(node.operands()).all(|(map, operand)| {
            let one = operand.ty().shape().iter().all(|size| *size == Some(1));
            one || map.projected_permutation().is_some_and(|p| p.into_iter().eq(0..4))
        });
    let sums = || {
        let op = result.def().filter(|d| d.is("arith.subi"))?;
        let constant = op.operand(1).def().and_then(|d| d.attr("value")).and_then(Attr::as_int);
        let zero = match constant {
            Some(zero) => Some(zero.abs()).filter(|zero| *zero <= 255),
            None => byte(op.operand(1)),
        };
        Some(byte(op.operand(0))? + zero?)
    };
    byte(result).or_else(sums).filter(|_| parallel)
}
