//! The range of what an operation gives, by the ranges of its operands.
use super::super::{
    interval::Interval,
    size::Size,
    space::{LARGEST, loop_of},
};
use super::{
    Ranges,
    comparisons::{compare, negated},
};
use halyard_ir::{Attr, Op, Value};

impl<'s> Ranges<'s> {
    pub(super) fn result(&self, op: Op, value: Value) -> Interval {
        let all = Interval::of(value.ty());
        let operand = |i: usize| self.interval(op.operand(i));
        let not_negative = |a: Interval, b: Interval| a.lo >= 0 && b.lo >= 0;
        match &*op.name() {
            "arith.constant" => op.attr("value").and_then(Attr::as_int).map_or(all, |n| {
                Interval::point(if value.ty().bits() == 1 && !value.ty().is_index() {
                    i128::from(n & 1)
                } else {
                    n.into()
                })
            }),
            "linalg.index" => {
                let known = self.space.known(loop_of(op)).map_or(LARGEST, i128::from);
                Interval::new(0, known - 1)
            }
            "tensor.dim" => self.size(Size::from(value)),
            "tensor.extract" => self.space.constant(op.operand(0)).unwrap_or(all),
            "arith.addi" => operand(0).map2(operand(1), |a, b| a + b),
            "arith.subi" => {
                let (a, b) = (operand(0), operand(1));
                Interval::new(a.lo - b.hi, a.hi - b.lo)
            }
            "arith.muli" => operand(0).corners(operand(1), i128::wrapping_mul),
            "arith.minsi" => operand(0).map2(operand(1), i128::min),
            "arith.maxsi" => operand(0).map2(operand(1), i128::max),
            "arith.minui" => match (operand(0), operand(1)) {
                (a, b) if not_negative(a, b) => a.map2(b, i128::min),
                (a, b) if a.lo >= 0 || b.lo >= 0 => Interval::new(0, if a.lo >= 0 { a.hi } else { b.hi }),
                _ => all,
            },
            "arith.maxui" => match (operand(0), operand(1)) {
                (a, b) if not_negative(a, b) => a.map2(b, i128::max),
                _ => all,
            },
            "arith.divsi" | "arith.divui" | "arith.floordivsi" | "arith.ceildivsi" | "arith.ceildivui" => {
                self.quotient(&op.name(), operand(0), operand(1)).unwrap_or(all)
            }
            "arith.remsi" => {
                let (a, b) = (operand(0), operand(1));
                let most = b.lo.abs().max(b.hi.abs()) - 1;
                Interval::new(if a.lo >= 0 { 0 } else { a.lo.max(-most) }, if a.hi <= 0 { 0 } else { a.hi.min(most) })
            }
            "arith.remui" => match (operand(0), operand(1)) {
                (a, b) if b.lo >= 1 => Interval::new(0, if a.lo >= 0 { a.hi.min(b.hi - 1) } else { b.hi - 1 }),
                _ => all,
            },
            "arith.andi" => match (operand(0), operand(1)) {
                (a, b) if a.lo >= 0 || b.lo >= 0 => {
                    let most = [a, b].into_iter().filter(|i| i.lo >= 0).map(|i| i.hi).min();
                    Interval::new(0, most.expect("one is not negative"))
                }
                _ => all,
            },
            "arith.ori" | "arith.xori" => match (operand(0), operand(1)) {
                (a, b) if not_negative(a, b) => {
                    let most = a.hi.max(b.hi);
                    Interval::new(0, (1 << (128 - most.leading_zeros())) - 1)
                }
                _ => all,
            },
            "arith.shrsi" | "arith.shrui" => match (operand(0), operand(1)) {
                (a, b) if not_negative(a, b) && b.hi < 64 => Interval::new(a.lo >> b.hi, a.hi >> b.lo),
                _ => all,
            },
            "arith.shli" => match (operand(0), operand(1)) {
                (a, b) if not_negative(a, b) && b.hi < 63 => Interval::new(a.lo << b.lo, a.hi << b.hi),
                _ => all,
            },
            "arith.extsi" | "arith.trunci" | "arith.index_cast" => {
                let flag = op.operand(0).ty().bits() == 1 && !op.operand(0).ty().is_index();
                if flag { Interval::new(-1, 0) } else { operand(0) }
            }
            "arith.extui" | "arith.index_castui" => {
                let from = op.operand(0).ty();
                let bits = if from.is_index() { 64 } else { from.bits() };
                match operand(0) {
                    a if a.lo >= 0 => a,
                    _ => Interval::new(0, (1 << bits.min(64)) - 1),
                }
            }
            "arith.cmpi" => match self.decide(op) {
                Some(holds) => Interval::point(holds.into()),
                None => Interval::new(0, 1),
            },
            "math.absi" => match operand(0) {
                a if a.lo >= 0 => a,
                a if a.lo > all.lo => Interval::new(0, a.hi.max(-a.lo)),
                _ => all,
            },
            "arith.select" => {
                let [yes, no] = [(1, true), (2, false)].map(|(i, holds)| {
                    let there = self.with(op.operand(0), holds);
                    if there.never() { Interval::new(0, -1) } else { there.interval(op.operand(i)) }
                });
                yes.or(no)
            }
            "scf.if" => {
                let branch = |region: usize| {
                    let end = op.region(region).first_block().and_then(|b| b.terminator());
                    end.map_or(all, |end| self.with(op.operand(0), region == 0).interval(end.operand(value.index())))
                };
                branch(0).or(branch(1))
            }
            _ => all,
        }
    }

    /// Whether a place is never reached, as far as numbers say.
    fn never(&self) -> bool {
        let compares = self.facts.last().and_then(|(condition, _)| condition.def()).filter(|op| op.is("arith.cmpi"));
        compares.is_some_and(|op| (0..2).any(|i| self.interval(op.operand(i)).is_empty()))
    }

    /// Whether a comparison holds in every run, or in none.
    fn decide(&self, op: Op) -> Option<bool> {
        let predicate = op.attr("predicate").and_then(Attr::as_int)?;
        let (a, b) = (self.interval(op.operand(0)), self.interval(op.operand(1)));
        let fails = |predicate| compare(a, predicate, b).is_empty();
        if a.is_empty() || b.is_empty() {
            return None;
        }
        if fails(predicate) {
            return Some(false);
        }
        let below = |x: usize, y: usize| self.is_below(op.operand(x), Size::from(op.operand(y)));
        let less = match predicate {
            2 => below(0, 1),
            4 => below(1, 0),
            6 => a.lo >= 0 && b.lo >= 0 && below(0, 1),
            8 => a.lo >= 0 && b.lo >= 0 && below(1, 0),
            _ => false,
        };
        (less || fails(negated(predicate))).then_some(true)
    }

    fn quotient(&self, name: &str, a: Interval, b: Interval) -> Option<Interval> {
        if b.lo < 1 || (name.ends_with("ui") && a.lo < 0) {
            return None;
        }
        Some(a.corners(b, |x, y| match name {
            "arith.floordivsi" => x.div_euclid(y),
            "arith.ceildivsi" | "arith.ceildivui" => -(-x).div_euclid(y),
            _ => x / y,
        }))
    }
}
