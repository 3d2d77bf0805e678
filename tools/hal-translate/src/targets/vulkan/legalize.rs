//! Expands operations that upstream's conversion to SPIR-V lacks or converts wrongly.
use super::{
    bits, comparisons, division,
    functions::Functions,
    scalars::{compare, in_f32, is_short, select},
};
use crate::codegen::quotients;
use halyard_diag::Result;
use halyard_ir::{Attr, Block, Builder, Op, Region, Session, Type, Value};
use halyard_kernel::EXACT_ON_GPUS;

/// Rewrites the operations of a module. They are scalars here: vectors are taken apart before. `exact` functions are never
/// those of GLSL.std.450, of which some are good to three digits.
pub(super) fn legalize(session: &Session, module: Op, exact: bool) -> Result<()> {
    quotients::rewrite(module);
    let mut found = Vec::new();
    module.walk(&mut |op| {
        let number = |ty: Type| ty.is_float() || ty.is_integer() || ty.is_index();
        if op.result_count() == 1 && number(op.result(0).ty()) {
            found.push(op);
        }
    });
    let mut functions = Functions::new(session, exact);
    for op in found {
        let (ty, name) = (op.result(0).ty(), op.name());
        let at = Builder::before(op);
        let value = match &*name {
            // GLSL's functions on integers have 32 bits.
            "math.absi" if ty.bits() != 32 => absi(&at, op.operand(0)),
            "math.trunc" => trunc(&at, op.operand(0)),
            // Upstream's form takes the least number for a positive one.
            "arith.remsi" if ty.bits() != 1 => signed_remainder(&at, op.operand(0), op.operand(1)),
            // Drivers take x - y * trunc(x / y), which is no remainder where the quotient has more digits than a float.
            "arith.remf" if ty.bits() == 32 => remainder(&at, op.operand(0), op.operand(1)),
            "arith.remf" if ty.bits() == 16 => in_f32(&at, op, |at, x| remainder(at, x[0], x[1])),
            _ => match bits::legal(&at, op)
                .or_else(|| comparisons::narrow(&at, op))
                .or_else(|| division::quotient(&at, op))
                .map_or_else(|| functions.call(&at, op), |v| Ok(Some(v)))?
            {
                Some(value) => value,
                None if is_short(ty) && name.starts_with("math.") && !EXACT_ON_GPUS.contains(&&*name) => {
                    in_f32(&at, op, |at, x| at.value(&name, x, x[0].ty(), &[]))
                }
                None => continue,
            },
        };
        op.result(0).replace_all_uses(value);
        op.erase();
    }
    functions.provide(module)
}

/// Returns the remainder of a signed division, with the sign of the dividend.
fn signed_remainder(at: &Builder, a: Value, b: Value) -> Value {
    let quotient = at.value("arith.divsi", &[a, b], a.ty(), &[]);
    let product = at.value("arith.muli", &[quotient, b], a.ty(), &[]);
    at.value("arith.subi", &[a, product], a.ty(), &[])
}

fn absi(at: &Builder, x: Value) -> Value {
    let zero = at.constant(Attr::integer(x.ty(), 0));
    let negated = at.value("arith.subi", &[zero, x], x.ty(), &[]);
    let negative = compare(at, "arith.cmpi", 2, x, zero);
    select(at, negative, negated, x)
}

fn trunc(at: &Builder, x: Value) -> Value {
    let zero = at.constant(Attr::float(x.ty(), 0.0));
    let [down, up] = ["math.floor", "math.ceil"].map(|name| at.value(name, &[x], x.ty(), &[]));
    let negative = compare(at, "arith.cmpf", 4, x, zero);
    select(at, negative, up, down)
}

/// Computes `fmod` of `f32` exactly: long division of the significands, bit by bit, on integers.
///
/// With |x| = m 2^e and |y| = n 2^f (24-bit m and n): while e > f, the remainder of m by n is doubled; the remainder r
/// of the last step represents r 2^f.
fn remainder(at: &Builder, x: Value, y: Value) -> Value {
    let context = at.context();
    let (word, bool) = (Type::integer(context, 32), Type::integer(context, 1));
    let int = |n: i64| at.constant(Attr::integer(word, n));
    let op = |name: &str, a: Value, b: Value| at.value(name, &[a, b], word, &[]);
    let [xb, yb] = [x, y].map(|v| at.value("arith.bitcast", &[v], word, &[]));
    let (magnitude, infinity, mantissa, hidden) = (int(0x7fff_ffff), int(0x7f80_0000), int(0x7f_ffff), int(0x80_0000));
    let (zero, one, places) = (int(0), int(1), int(23));
    let sign = op("arith.andi", xb, int(i64::from(i32::MIN)));
    let [xm, ym] = [xb, yb].map(|b| op("arith.andi", b, magnitude));
    // Of a number without its sign: the exponent, at least 1 (denormals have that of the least normal one), and the digits.
    let parts = |bits: Value| {
        let exponent = op("arith.shrui", bits, places);
        let digits = op("arith.andi", bits, mantissa);
        let normal = compare(at, "arith.cmpi", 1, exponent, zero);
        let full = op("arith.ori", digits, hidden);
        (select(at, normal, exponent, one), select(at, normal, full, digits))
    };
    let ((xe, xd), (ye, yd)) = (parts(xm), parts(ym));
    // Avoids a division by zero, whose result is not used.
    let none = compare(at, "arith.cmpi", 0, yd, zero);
    let divisor = select(at, none, one, yd);
    let steps = op("arith.subi", xe, ye);
    let forward = compare(at, "arith.cmpi", 4, steps, zero);
    let steps = select(at, forward, steps, zero);
    let first = op("arith.remui", xd, divisor);
    let [from, to] = [zero, steps].map(|v| at.value("arith.index_cast", &[v], Type::index(context), &[]));
    let body = Block::create(&[Type::index(context), word], at.loc);
    let inner = Builder::at_end(body, at.loc);
    let doubled = inner.value("arith.addi", &[body.args()[1], body.args()[1]], word, &[]);
    let rest = inner.value("arith.subi", &[doubled, divisor], word, &[]);
    let fits = compare(&inner, "arith.cmpi", 9, doubled, divisor);
    let next = inner.value("arith.select", &[fits, rest, doubled], word, &[]);
    inner.op("scf.yield", &[next], &[], &[]);
    let region = Region::create();
    region.append(body);
    let digits = at.op_with_regions("scf.for", &[from, to, at.index(1), first], &[word], &[], vec![region]).result(0);
    // r 2^(f - 150): shifted until its first digit stands where that of a normal number does, or the exponent is the least.
    let zeros = at.value("math.ctlz", &[digits], word, &[]);
    let wanted = op("arith.subi", zeros, int(8));
    let least = op("arith.subi", ye, one);
    let shift = op("arith.minui", wanted, least);
    let shifted = op("arith.shli", digits, shift);
    let exponent = op("arith.shli", op("arith.subi", least, shift), places);
    let result = op("arith.addi", shifted, exponent);
    let nothing = compare(at, "arith.cmpi", 0, digits, zero);
    let result = select(at, nothing, zero, result);
    let smaller = compare(at, "arith.cmpi", 6, xm, ym);
    let result = select(at, smaller, xm, result);
    let result = op("arith.ori", result, sign);
    let nan = int(0x7fc0_0000);
    let beyond = compare(at, "arith.cmpi", 9, xm, infinity);
    let not_a_number = compare(at, "arith.cmpi", 8, ym, infinity);
    let bad = at.value("arith.ori", &[beyond, not_a_number], bool, &[]);
    let bad = at.value("arith.ori", &[bad, none], bool, &[]);
    let result = select(at, bad, nan, result);
    at.value("arith.bitcast", &[result], x.ty(), &[])
}
