//! Division of floats by any number. What SPIR-V promises of `OpFDiv` (2.5 units in the last place, "Precision and Operation of SPIR-V
//! Instructions" of the Vulkan specification) holds for divisors between 2^-126 and 2^126: NVIDIA's driver takes 1 / 2^127 for zero.
use super::scalars::{compare, in_f32, select};
use halyard_ir::{Attr, Builder, Op, Value};

/// Divisors beyond these are scaled, by as much.
const LARGE: (f64, f64) = (4.253_529_586_511_731e37, 0.0625); // 2^125, 2^-4
const SMALL: (f64, f64) = (2.350_988_701_644_575e-38, 16_777_216.0); // 2^-125, 2^24

/// The quotient by means of divisions that drivers do right; `None` if this one is.
pub(super) fn quotient(at: &Builder, op: Op) -> Option<Value> {
    if !op.is("arith.divf") || op.result(0).ty().bits() > 32 {
        return None;
    }
    let (x, y) = (op.operand(0), op.operand(1));
    if x.ty().bits() == 16 {
        return Some(in_f32(at, op, |at, x| at.value("arith.divf", x, x[0].ty(), &[])));
    }
    let known = y.constant_attr().and_then(Attr::as_float);
    if known.is_some_and(|y| y.is_nan() || (SMALL.0..=LARGE.0).contains(&y.abs())) {
        return None;
    }
    let number = |n: f64| at.constant(Attr::float(x.ty(), n));
    let magnitude = at.value("math.absf", &[y], y.ty(), &[]);
    // Greater, less: neither holds for NaN.
    let (large, small) = (
        compare(at, "arith.cmpf", 2, magnitude, number(LARGE.0)),
        compare(at, "arith.cmpf", 4, magnitude, number(SMALL.0)),
    );
    let scale = select(at, small, number(SMALL.1), number(1.0));
    let scale = select(at, large, number(LARGE.1), scale);
    let [x, y] = [x, y].map(|v| at.value("arith.mulf", &[v, scale], v.ty(), &[]));
    Some(at.value("arith.divf", &[x, y], x.ty(), &[]))
}
