//! Quantisation by a constant scale: `clamp(roundeven(x / s) + zero)`, of which the division takes longer than all else, becomes a
//! multiplication and a fused multiply-add, and rounding an addition, with the same results for every `x`.
//!
//! The quotient is `x · h + x · l`, where `h + l` is `1 / s` to twice the precision of `f32`. It may differ from that of the division in
//! the last place, which counts only beside the borders between two integers. Both quotients grow with `x`, so that comparing them for
//! the few numbers beside each border proves that they are rounded alike ([`reciprocal`]); else the division stays. What lies outside
//! of the clamp is cut off before, infinities among it; NaN becomes the lowest number, as it does by the comparisons of the clamp.
//! (Brisebarre, Muller, Raina: "Accelerating correctly rounded floating-point division when the divisor is known in advance", 2004.)
use super::dequantise::Inner;
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// 1.5 · 2^23: what is added to it is rounded to an integer, which its lowest bits then hold.
const SHIFTER: f32 = 12_582_912.0;
/// Numbers of each sign that a clamp may leave: all of 16 bits and a zero point.
const MOST: f64 = 131_072.0;

/// A quantisation by a constant.
struct Quantisation {
    x: Value,
    scale: f32,
    zero: i64,
    /// The lowest and the highest number.
    clamp: [i64; 2],
    /// The operation whose result is replaced, which makes an integer.
    last: Op,
}

/// Rewrites the quantisations of a module that is made of generic operations, for CPUs with fused multiply-adds; says whether there were
/// some, whose operations nothing uses now.
pub(super) fn rewrite(module: Op) -> bool {
    let mut rewrote = false;
    let mut found = Vec::new();
    module.walk(&mut |op| found.extend(quantisation(op)));
    for quantisation in found {
        let [low, high] = quantisation.clamp.map(|bound| bound - quantisation.zero);
        if let Some(reciprocal) = reciprocal(quantisation.scale, low, high) {
            match Inner::of(quantisation.last, quantisation.clamp) {
                Some(inner) => inner.becomes(rewritten_as_float(&quantisation, &reciprocal), quantisation.zero),
                None => quantisation.last.result(0).replace_all_uses(rewritten(&quantisation, &reciprocal)),
            }
            rewrote = true;
        }
    }
    rewrote
}

/// What stands for a division by a scale.
struct Reciprocal {
    high: f32,
    low: f32,
    /// Where `x` is cut off.
    cut: [f32; 2],
}

impl Reciprocal {
    fn quotient(&self, x: f32) -> f32 {
        x.mul_add(self.high, x * self.low)
    }
}

/// The reciprocal of a scale, if it rounds to the same integers from `low` to `high` as a division does.
fn reciprocal(scale: f32, low: i64, high: i64) -> Option<Reciprocal> {
    let wide = f64::from(scale);
    let first = 1.0 / scale;
    let second = (1.0 / wide - f64::from(first)) as f32;
    let cut = [low as f64 - 0.25, high as f64 + 0.25].map(|at| (at * wide) as f32);
    let found = Reciprocal { high: first, low: second, cut };
    let normal = scale > 0.0 && scale.is_normal() && first.is_normal() && cut.iter().all(|x| x.is_normal());
    let ends = [(cut[0], low), (cut[1], high)];
    let ended = ends.iter().all(|&(x, end)| {
        found.quotient(x).round_ties_even() == end as f32 && (x / scale).round_ties_even() == end as f32
    });
    let beside = |border: i64| {
        let middle = ((border as f64 + 0.5) * wide) as f32;
        let numbers = (-4..=4).map(|steps| stepped(middle, steps));
        let both = numbers.map(|x| (found.quotient(x).round_ties_even(), (x / scale).round_ties_even()));
        let both: Vec<_> = both.collect();
        // Beyond the numbers that are tried both have left the border.
        let left = both[0].1 == border as f32 && both[8].1 == (border + 1) as f32;
        left && both.iter().all(|(ours, wanted)| ours == wanted)
    };
    (normal && ended && low < high && (low..high).all(beside)).then_some(found)
}

/// The float so many floats further up.
fn stepped(x: f32, steps: i32) -> f32 {
    (0..steps.abs()).fold(x, |x, _| if steps < 0 { x.next_down() } else { x.next_up() })
}

/// The quantised number.
fn rewritten(quantisation: &Quantisation, reciprocal: &Reciprocal) -> Value {
    let at = Builder::before(quantisation.last);
    let int = Type::integer(at.context(), 32);
    let bits = at.value("arith.bitcast", &[shifted(quantisation, reciprocal)], int, &[]);
    let wanted = quantisation.last.result(0).ty();
    // The lowest 16 bits of the number that was added are zeros.
    let added = if wanted.bits() <= 16 { 0 } else { i64::from(SHIFTER.to_bits()) };
    let change = quantisation.zero - added;
    let number = if change == 0 {
        bits
    } else {
        at.value("arith.addi", &[bits, at.constant(Attr::integer(int, change))], int, &[])
    };
    if wanted == int { number } else { at.value("arith.trunci", &[number], wanted, &[]) }
}

/// The quantised number less its zero point.
fn rewritten_as_float(quantisation: &Quantisation, reciprocal: &Reciprocal) -> Value {
    let at = Builder::before(quantisation.last);
    let float = Type::f32(at.context());
    let shifter = at.constant(Attr::float(float, SHIFTER.into()));
    at.value("arith.subf", &[shifted(quantisation, reciprocal), shifter], float, &[])
}

/// The quantised number less its zero point, plus [`SHIFTER`].
fn shifted(quantisation: &Quantisation, reciprocal: &Reciprocal) -> Value {
    let at = Builder::before(quantisation.last);
    let float = Type::f32(at.context());
    let bool = Type::integer(at.context(), 1);
    let number = |value: f32| at.constant(Attr::float(float, value.into()));
    let two = |name: &str, a: Value, b: Value| at.value(name, &[a, b], float, &[]);
    let mut x = quantisation.x;
    // Greater and less than, as the clamp has them: NaN is neither.
    for (bound, predicate) in reciprocal.cut.into_iter().zip([GREATER, LESS]) {
        let (bound, predicate) = (number(bound), Attr::integer(Type::integer(at.context(), 64), predicate));
        let within = at.value("arith.cmpf", &[x, bound], bool, &[("predicate", predicate)]);
        x = at.value("arith.select", &[within, x, bound], float, &[]);
    }
    let rest = two("arith.mulf", x, number(reciprocal.low));
    let quotient = at.value("math.fma", &[x, number(reciprocal.high), rest], float, &[]);
    two("arith.addf", quotient, number(SHIFTER))
}

/// Predicates of `arith.cmpf`: ordered, and greater or less.
const GREATER: i64 = 2;
const LESS: i64 = 4;

/// The quantisation that ends in an operation.
fn quantisation(last: Op) -> Option<Quantisation> {
    let whole = if last.is("arith.trunci") { alone(last.operand(0))? } else { last };
    let int = whole.is("arith.fptosi").then(|| whole.result(0).ty())?;
    let wanted = last.result(0).ty();
    if int.bits() != 32 || !(wanted.bits() <= 16 || wanted == int) {
        return None;
    }
    // What is truncated later is found there.
    let truncated = whole == last && last.result(0).uses().iter().any(|(user, _)| user.is("arith.trunci"));
    let (value, high) = bound(whole.operand(0), LESS)?;
    let (value, low) = bound(value, GREATER)?;
    let mut rounded = alone(value)?;
    let mut zero = 0;
    if rounded.is("arith.addf") {
        zero = integer(rounded.operand(1))?;
        rounded = alone(rounded.operand(0))?;
    }
    let division = rounded.is("math.roundeven").then(|| alone(rounded.operand(0))).flatten()?;
    let (x, scale) = division.is("arith.divf").then(|| (division.operand(0), division.operand(1)))?;
    let found = Quantisation { x, scale: number(scale)? as f32, zero, clamp: [low, high], last };
    (!truncated && x.ty() == Type::f32(last.context())).then_some(found)
}

/// What a comparison with a constant and a selection keep within this bound, and the bound.
fn bound(value: Value, predicate: i64) -> Option<(Value, i64)> {
    let select = alone(value).filter(|op| op.is("arith.select"))?;
    let compare = alone(select.operand(0)).filter(|op| op.is("arith.cmpf"))?;
    let (inner, end) = (compare.operand(0), compare.operand(1));
    let same = select.operand(1) == inner && select.operand(2) == end && inner.uses().len() == 2;
    let wanted = compare.attr("predicate").and_then(Attr::as_int) == Some(predicate);
    (same && wanted).then(|| Some((inner, integer(end)?))).flatten()
}

/// The operation of a value that only the operations of a quantisation use.
fn alone(value: Value) -> Option<Op> {
    value.def().filter(|op| op.result_count() == 1 && value.uses().len() <= 2)
}

fn number(value: Value) -> Option<f64> {
    value.constant_attr()?.as_float()
}

/// A constant that is a small integer.
fn integer(value: Value) -> Option<i64> {
    number(value).filter(|n| n.fract() == 0.0 && n.abs() <= MOST).map(|n| n as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some scales: of models, powers of two, and some at random.
    fn scales() -> impl Iterator<Item = f32> {
        let mut state = 1u32;
        let random = std::iter::repeat_with(move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from_bits((0x3000_0000 + (state >> 4) % 0x1000_0000) & 0x7fff_ffff)
        });
        [0.002_914_320_2, 0.017_178_174, 1.0 / 255.0, 1.0, 0.5, 3.0, 1e-30, 1e30].into_iter().chain(random.take(300))
    }

    #[test]
    fn integers_are_those_of_the_division() {
        let mut taken = 0;
        for scale in scales() {
            for [low, high] in [[0, 255], [-128, 127], [-22, 233]] {
                let Some(reciprocal) = reciprocal(scale, low, high) else { continue };
                taken += 1;
                let [least, most] = [low, high].map(|n| n as f32);
                let wanted = |x: f32| {
                    let n = (x / scale).round_ties_even();
                    let n = if n > least { n } else { least };
                    if n < most { n } else { most }
                };
                let ours = |x: f32| {
                    let x = if x > reciprocal.cut[0] { x } else { reciprocal.cut[0] };
                    let x = if x < reciprocal.cut[1] { x } else { reciprocal.cut[1] };
                    let shifted = (reciprocal.quotient(x) + SHIFTER).to_bits();
                    (shifted as i32 - SHIFTER.to_bits() as i32) as f32
                };
                let halves = (4 * (low - 2)..4 * (high + 2)).map(|n| n as f32 / 4.0 * scale);
                let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-40];
                for middle in halves.chain(special) {
                    for x in (-6..=6).map(|steps| stepped(middle, steps)) {
                        assert_eq!(ours(x), wanted(x), "{x} / {scale}, {low} to {high}");
                    }
                }
            }
        }
        assert!(taken > 900, "{taken} of 924 are taken");
    }

    #[test]
    fn scales_that_would_round_otherwise_keep_the_division() {
        assert!(reciprocal(0.0, 0, 255).is_none());
        assert!(reciprocal(-0.5, 0, 255).is_none());
        assert!(reciprocal(f32::NAN, 0, 255).is_none());
        // A reciprocal that is no normal number, and bounds that are none.
        assert!(reciprocal(f32::MAX, 0, 255).is_none());
        assert!(reciprocal(1e-39, 0, 255).is_none());
        // Where the first half alone would do, the quotient is far from the border; it must not be taken for granted.
        let first_alone = |scale: f32| {
            (0..255).all(|border| {
                let middle = ((f64::from(border) + 0.5) * f64::from(scale)) as f32;
                (-4..=4)
                    .map(|steps| stepped(middle, steps))
                    .all(|x| (x * (1.0 / scale)).round_ties_even() == (x / scale).round_ties_even())
            })
        };
        assert!(scales().filter(|s| s.is_normal() && (1.0 / s).is_normal()).any(|scale| !first_alone(scale)));
    }
}
