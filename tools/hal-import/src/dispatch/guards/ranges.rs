//! What values in a body can be: intervals, and indices below sizes that are known in the run only.
mod comparisons;
mod operations;

use super::{
    interval::Interval,
    size::Size,
    space::{LARGEST, Space},
};
use halyard_ir::Value;
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
}
