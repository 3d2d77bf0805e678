//! What values in a body can be: intervals, and indices below sizes that are known in the run only.
use super::{
    interval::Interval,
    size::Size,
    space::{LARGEST, Space, loop_of},
};
use halyard_ir::{Attr, Op, Value};
use std::{cell::Cell, collections::HashMap, rc::Rc};

/// After so many steps a question is answered with "anything".
const PATIENCE: u32 = 20_000;

/// What is known at a place of a body.
#[derive(Clone)]
pub(super) struct Ranges<'s> {
    space: &'s Space,
    /// Conditions that hold there, and conditions that do not.
    pub(super) facts: Vec<(Value, bool)>,
    /// Values that are looked at one by one.
    points: HashMap<Value, i128>,
    /// A size that is taken not to be 0.
    assumed: Option<Size>,
    steps: Rc<Cell<u32>>,
}

impl<'s> Ranges<'s> {
    pub(super) fn new(space: &'s Space, facts: &[(Value, bool)]) -> Self {
        Self { space, facts: facts.to_vec(), points: HashMap::new(), assumed: None, steps: Rc::default() }
    }

    /// As it is where a value is this number.
    pub(super) fn at(mut self, value: Value, point: i128) -> Self {
        self.points.insert(value, point);
        self.steps = Rc::default();
        self
    }

    /// As it is where a dimension has an element.
    pub(super) fn with_some(mut self, size: Size) -> Self {
        self.assumed = Some(size);
        self.steps = Rc::default();
        self
    }

    fn size(&self, size: Size) -> Interval {
        let range = self.space.size(size);
        if self.assumed == Some(size) { range.and(Interval::new(1, LARGEST)) } else { range }
    }

    fn with(&self, condition: Value, holds: bool) -> Self {
        let mut more = self.clone();
        more.facts.push((condition, holds));
        more
    }

    fn spend(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.steps.get() < PATIENCE
    }

    /// Whether an index lies in a dimension of that size.
    pub(super) fn is_inside(&self, index: Value, size: Size) -> bool {
        let range = self.interval(index);
        range.is_empty() || range.lo >= 0 && (range.hi < self.size(size).lo || self.is_below(index, size))
    }

    /// The values that an integer can have, read with a sign.
    pub(super) fn interval(&self, value: Value) -> Interval {
        let all = Interval::of(value.ty());
        if !self.spend() {
            return all;
        }
        let mut found = match (self.points.get(&value), value.def()) {
            (Some(point), _) => Interval::point(*point),
            (None, Some(op)) if op.is("arith.constant") => return self.result(op, value),
            (None, Some(op)) => self.result(op, value),
            (None, None) => self.argument(value),
        };
        if !found.is_within(all) {
            found = all;
        }
        for at in 0..self.facts.len() {
            found = self.refine(found, value, at);
        }
        found
    }

    fn argument(&self, value: Value) -> Interval {
        let parent = value.argument_block().and_then(|b| b.parent());
        match parent {
            Some(op) if op.is("scf.for") && value.index() == 0 => {
                let (from, to) = (self.interval(op.operand(0)), self.interval(op.operand(1)));
                Interval::new(from.lo, to.hi.min(LARGEST) - 1)
            }
            _ => self.space.argument(value),
        }
    }

    fn result(&self, op: Op, value: Value) -> Interval {
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

    /// What is left of the interval of a value by one of the facts.
    fn refine(&self, found: Interval, value: Value, fact: usize) -> Interval {
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
    fn is_below(&self, value: Value, size: Size) -> bool {
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
fn negated(predicate: i64) -> i64 {
    [1, 0, 5, 4, 3, 2, 9, 8, 7, 6][predicate as usize]
}

fn swapped(predicate: i64) -> i64 {
    [0, 1, 4, 5, 2, 3, 8, 9, 6, 7][predicate as usize]
}

/// What is left of `a` where it compares like that with something in `b`.
fn compare(a: Interval, predicate: i64, b: Interval) -> Interval {
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
