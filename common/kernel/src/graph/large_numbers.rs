//! Refuses programs whose own numbers are so large that index arithmetic would overflow while a kernel is made: tiles and windows multiply them.
use super::Unsupported;
use halyard_ir::{Affine, AffineKind, Attr, DYNAMIC, Op, Structured};

/// The largest number. A limit of the code.
const LARGEST: u64 = 1 << 40;
/// Attributes of operations on tensors that move or widen indices.
const LISTS: [&str; 4] = ["static_offsets", "static_strides", "static_low", "static_high"];

/// Errors: an operation of a function has a larger number for its indices.
pub(crate) fn check_numbers(func: Op) -> Result<(), Unsupported> {
    let mut large = false;
    func.walk(&mut |op| large |= has_large(op));
    if large { Err("numbers beyond 2^40 in offsets, steps and maps".into()) } else { Ok(()) }
}

fn has_large(op: Op) -> bool {
    let beyond = |n: &i64| *n != DYNAMIC && n.unsigned_abs() > LARGEST;
    if LISTS.iter().filter_map(|name| op.attr(name)?.as_i64s()).flatten().any(|n| beyond(&n)) {
        return true;
    }
    if op.is("arith.constant") && op.result(0).ty().is_index() {
        return op.attr("value").and_then(Attr::as_int).is_some_and(|n| beyond(&n));
    }
    let maps = Structured::of(op).map(|found| found.maps).unwrap_or_default();
    let maps = maps.into_iter().chain(op.attr("map").and_then(Attr::as_affine_map));
    maps.flat_map(Affine::results).any(|expr| largest_in(&expr) > LARGEST)
}

/// The largest number in an expression, without its sign.
fn largest_in(expr: &AffineKind) -> u64 {
    match expr {
        AffineKind::Dim(_) | AffineKind::Symbol(_) => 0,
        AffineKind::Constant(number) => number.unsigned_abs(),
        AffineKind::Add(a, b)
        | AffineKind::Mul(a, b)
        | AffineKind::Mod(a, b)
        | AffineKind::FloorDiv(a, b)
        | AffineKind::CeilDiv(a, b) => largest_in(a).max(largest_in(b)),
    }
}
