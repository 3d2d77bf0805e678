//! What comparisons say: about values where they hold, and whether they hold.
use super::super::{interval::Interval, size::Size, space::loop_of};
use super::Ranges;
use halyard_ir::{Attr, Value};

impl<'s> Ranges<'s> {
    /// What is left of the interval of a value by one of the facts.
    pub(super) fn refine(&self, found: Interval, value: Value, fact: usize) -> Interval {
        let (condition, holds) = self.facts[fact];
        // What it compares with is looked at without this fact.
        let mut rest = self.clone();
        rest.facts.remove(fact);
        rest.narrow(found, value, condition, holds)
    }

    fn narrow(&self, found: Interval, value: Value, condition: Value, holds: bool) -> Interval {
        let Some(op) = condition.def() else { return found };
        match &*op.name() {
            "arith.andi" if holds => op.operands().iter().fold(found, |i, c| self.narrow(i, value, *c, true)),
            "arith.ori" if !holds => op.operands().iter().fold(found, |i, c| self.narrow(i, value, *c, false)),
            "arith.xori" => match op.operand(1).def().and_then(|d| d.attr("value")).and_then(Attr::as_int) {
                Some(flip) => self.narrow(found, value, op.operand(0), holds ^ (flip & 1 == 1)),
                None => found,
            },
            "arith.cmpi" => {
                let Some(predicate) = op.attr("predicate").and_then(Attr::as_int) else { return found };
                let (a, b) = (op.operand(0), op.operand(1));
                let (other, predicate) = match (a == value, b == value) {
                    (true, false) => (b, predicate),
                    (false, true) => (a, swapped(predicate)),
                    _ => return found,
                };
                compare(found, if holds { predicate } else { negated(predicate) }, self.interval(other))
            }
            _ => found,
        }
    }

    /// Whether an index that is not negative is below a size, which may be known in the run only.
    pub(super) fn is_below(&self, value: Value, size: Size) -> bool {
        if !self.spend() {
            return false;
        }
        if self.facts.iter().any(|(condition, holds)| self.says_below(*condition, *holds, value, size)) {
            return true;
        }
        let Some(op) = value.def() else {
            let parent = value.argument_block().and_then(|b| b.parent());
            return parent
                .is_some_and(|p| p.is("scf.for") && value.index() == 0 && self.is_at_most(p.operand(1), size));
        };
        let below = |i: usize| self.is_below(op.operand(i), size);
        let interval = |i: usize| self.interval(op.operand(i));
        match &*op.name() {
            "linalg.index" => self.space.extents.get(loop_of(op)).is_some_and(|e| e.contains(&size)),
            "arith.minsi" => below(0) || below(1),
            "arith.minui" => (0..2).any(|i| interval(i).lo >= 0 && below(i)),
            "arith.maxsi" => below(0) && below(1),
            "arith.select" => {
                self.with(op.operand(0), true).is_below(op.operand(1), size)
                    && self.with(op.operand(0), false).is_below(op.operand(2), size)
            }
            "arith.subi" => {
                interval(1).lo >= 0 && below(0) || interval(1).lo >= 1 && self.is_at_most(op.operand(0), size)
            }
            "arith.addi" => (0..2).any(|i| {
                let by = interval(i).hi;
                by <= 0 && below(1 - i) || by <= -1 && self.is_at_most(op.operand(1 - i), size)
            }),
            "arith.remsi" => Size::from(op.operand(1)) == size,
            "arith.remui" => interval(1).lo >= 0 && Size::from(op.operand(1)) == size,
            "arith.divsi" | "arith.divui" | "arith.floordivsi" => {
                interval(0).lo >= 0 && interval(1).lo >= 1 && below(0)
            }
            "arith.index_cast" => {
                let wide = |v: Value| v.ty().is_index() || v.ty().bits() == 64;
                wide(op.operand(0)) && wide(value) && below(0)
            }
            _ => false,
        }
    }

    /// Whether a value is a size or less, as it stands there.
    fn is_at_most(&self, value: Value, size: Size) -> bool {
        Size::from(value) == size
            || value
                .def()
                .is_some_and(|op| op.is("arith.minsi") && op.operands().iter().any(|v| self.is_at_most(*v, size)))
    }

    fn says_below(&self, condition: Value, holds: bool, value: Value, size: Size) -> bool {
        let Some(op) = condition.def() else { return false };
        match &*op.name() {
            "arith.andi" if holds => op.operands().iter().any(|c| self.says_below(*c, true, value, size)),
            "arith.ori" if !holds => op.operands().iter().any(|c| self.says_below(*c, false, value, size)),
            "arith.cmpi" => {
                let Some(predicate) = op.attr("predicate").and_then(Attr::as_int) else { return false };
                let predicate = if holds { predicate } else { negated(predicate) };
                let (a, b) = (op.operand(0), op.operand(1));
                let less = |predicate: i64, than: Value| match predicate {
                    2 => self.is_at_most(than, size),
                    // Without a sign: what is not negative as it stands there.
                    6 => Size::from(than) == size,
                    _ => false,
                };
                a == value && less(predicate, b) || b == value && less(swapped(predicate), a)
            }
            _ => false,
        }
    }
}

/// The predicates of `arith.cmpi`: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge.
pub(super) fn negated(predicate: i64) -> i64 {
    [1, 0, 5, 4, 3, 2, 9, 8, 7, 6][predicate as usize]
}

fn swapped(predicate: i64) -> i64 {
    [0, 1, 4, 5, 2, 3, 8, 9, 6, 7][predicate as usize]
}

/// What is left of `a` where it compares like that with something in `b`.
pub(super) fn compare(a: Interval, predicate: i64, b: Interval) -> Interval {
    if b.is_empty() {
        return a;
    }
    match predicate {
        0 => a.and(b),
        1 if b.is_point() => a.without(b.lo),
        2 => a.and(Interval::new(i128::MIN, b.hi - 1)),
        3 => a.and(Interval::new(i128::MIN, b.hi)),
        4 => a.and(Interval::new(b.lo + 1, i128::MAX)),
        5 => a.and(Interval::new(b.lo, i128::MAX)),
        // Below something without a sign that is not negative: not negative either.
        6 if b.lo >= 0 => a.and(Interval::new(0, b.hi - 1)),
        7 if b.lo >= 0 => a.and(Interval::new(0, b.hi)),
        8 if a.lo >= 0 && b.lo >= 0 => a.and(Interval::new(b.lo + 1, i128::MAX)),
        9 if a.lo >= 0 && b.lo >= 0 => a.and(Interval::new(b.lo, i128::MAX)),
        _ => a,
    }
}
