//! Quotients that are rounded, as `lower-affine` writes them: two choices by the sign of the dividend, around a division.
use halyard_ir::{Attr, Op, Value};

/// A quotient or a remainder of affine arithmetic, by a positive number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounded {
    /// `a floordiv by`.
    Down(Value, i64),
    /// `a ceildiv by`.
    Up(Value, i64),
    /// `a mod by`, never negative.
    Rest(Value, i64),
}

impl Rounded {
    /// Reads an `arith.select`.
    pub(super) fn of(op: Op) -> Option<Self> {
        Self::rest(op).or_else(|| Self::down(op)).or_else(|| Self::up(op))
    }

    /// `r = a % by; r < 0 ? r + by : r`
    fn rest(op: Op) -> Option<Self> {
        let rest = op.operand(2);
        let (a, by) = binary(rest, "arith.remsi")?;
        let by = by.constant().filter(|by| *by > 0)?;
        let sum = binary(op.operand(1), "arith.addi")?;
        let fits = is_comparison(op.operand(0), LESS, rest, 0) && sum.0 == rest && sum.1.constant() == Some(by);
        fits.then_some(Self::Rest(a, by))
    }

    /// `q = (a < 0 ? -1 - a : a) / by; a < 0 ? -1 - q : q`
    fn down(op: Op) -> Option<Self> {
        let quotient = op.operand(2);
        let (positive, by) = binary(quotient, "arith.divsi")?;
        let by = by.constant().filter(|by| *by > 0)?;
        let inner = positive.def().filter(|d| d.is("arith.select") && d.operand(0) == op.operand(0))?;
        let a = inner.operand(2);
        let fits = is_comparison(op.operand(0), LESS, a, 0)
            && is_less(inner.operand(1), -1, a)
            && is_less(op.operand(1), -1, quotient);
        fits.then_some(Self::Down(a, by))
    }

    /// `q = (a <= 0 ? -a : a - 1) / by; a <= 0 ? -q : q + 1`
    fn up(op: Op) -> Option<Self> {
        let (quotient, one) = binary(op.operand(2), "arith.addi")?;
        let (positive, by) = binary(quotient, "arith.divsi")?;
        let by = by.constant().filter(|by| *by > 0)?;
        let inner = positive.def().filter(|d| d.is("arith.select") && d.operand(0) == op.operand(0))?;
        // `a - 1` is written as `a + -1` after folding.
        let less = inner.operand(2).def().filter(|d| d.operand_count() == 2)?;
        let a = less.operand(0);
        let step = less.operand(1).constant();
        let is_less_by_one = less.is("arith.subi") && step == Some(1) || less.is("arith.addi") && step == Some(-1);
        let fits = one.constant() == Some(1)
            && is_less_by_one
            && is_comparison(op.operand(0), AT_MOST, a, 0)
            && is_less(inner.operand(1), 0, a)
            && is_less(op.operand(1), 0, quotient);
        fits.then_some(Self::Up(a, by))
    }
}

/// Predicates of `arith.cmpi`.
const LESS: i64 = 2;
const AT_MOST: i64 = 3;

fn binary(value: Value, name: &str) -> Option<(Value, Value)> {
    value.def().filter(|d| d.is(name)).map(|d| (d.operand(0), d.operand(1)))
}

fn is_comparison(value: Value, predicate: i64, a: Value, number: i64) -> bool {
    let Some(op) = value.def().filter(|d| d.is("arith.cmpi")) else { return false };
    op.attr("predicate").and_then(Attr::as_int) == Some(predicate)
        && op.operand(0) == a
        && op.operand(1).constant() == Some(number)
}

/// Whether a value is `number - b`.
fn is_less(value: Value, number: i64, b: Value) -> bool {
    binary(value, "arith.subi").is_some_and(|(from, by)| from.constant() == Some(number) && by == b)
}
