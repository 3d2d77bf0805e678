//! Whether an argmin or argmax may be split along its row: reductions that keep an element and its position (argmax and the
//! like) have any body of comparisons. Each part of the row chooses for itself, and a choice between two parts is made by
//! the same body, the later choice as its element. That is right for some bodies only, and is tried here: on all rows of
//! four elements from a handful of values, in place of a proof. Comparisons cannot tell more values apart.
use crate::graph::Graph;
use halyard_ir::{Attr, Op, Type, Value};
use std::collections::HashMap;

/// The elements of a row that is tried.
const ROW: usize = 4;

/// How the positions of a row are dealt out to two parts.
const PARTS: [[u8; ROW]; 4] = [[0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]];

/// A number of the body; truths are 0 and 1.
#[derive(Clone, Copy, Debug)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a == b,
            (Number::Float(a), Number::Float(b)) => a == b || a.is_nan() && b.is_nan(),
            _ => false,
        }
    }

    fn truth(self) -> bool {
        matches!(self, Number::Int(n) if n != 0)
    }
}

/// A step of the body, on the results of steps before it.
enum Step {
    Element,
    Position,
    Before(usize),
    Constant(Number),
    Compare(i64, usize, usize),
    Bits(char, usize, usize),
    Select(usize, usize, usize),
    Extreme(String, usize, usize),
}

/// An element and its position.
type Choice = [Number; 2];

/// The body of a reduction that chooses.
struct Body {
    steps: Vec<Step>,
    yields: [usize; 2],
}

impl Graph {
    /// Whether the choice that a node makes along `dim` may be made in parts. `at` says which of its two results is the
    /// element, `element` which argument.
    pub(crate) fn chooses_in_parts(&self, node: usize, dim: usize, element: Value, at: usize) -> bool {
        let n = &self.nodes[node];
        let args = n.body.args();
        let Some(outs) = args.get(n.inputs.len()..).filter(|o| o.len() == 2) else { return false };
        let Some(yields) = n.body.terminator().map(|t| t.operands()) else { return false };
        let start =
            |result: usize| self.filler(n.inits[result]).and_then(|a| literal(a, self.tensors[n.inits[result]].elem));
        // No part but the first meets the position that all start with: who has that one has chosen nothing.
        let Some(Number::Int(nowhere @ ..=0)) = start(1 - at) else { return false };
        let mut reader =
            Reader { element, before: [outs[at], outs[1 - at]], dim, steps: Vec::new(), seen: HashMap::new() };
        let yields = [at, 1 - at].map(|k| reader.read(yields[k]));
        let [Some(value), Some(position)] = yields else { return false };
        let body = Body { steps: reader.steps, yields: [value, position] };
        body.may_be_parted(start(at), nowhere, element.ty().is_float())
    }
}

/// The number of a constant.
fn number(value: Value) -> Option<Number> {
    literal(value.constant_attr()?, value.ty())
}

/// The number of a constant of a type.
fn literal(value: Attr, ty: Type) -> Option<Number> {
    let int = |n: i64| Number::Int(if ty.is_integer() && ty.bits() == 1 { n & 1 } else { n });
    if ty.is_float() { value.as_float().map(Number::Float) } else { value.as_int().map(int) }
}

/// Turns values into steps.
struct Reader {
    element: Value,
    before: [Value; 2],
    dim: usize,
    steps: Vec<Step>,
    seen: HashMap<Value, usize>,
}

impl Reader {
    fn read(&mut self, value: Value) -> Option<usize> {
        if let Some(&at) = self.seen.get(&value) {
            return Some(at);
        }
        let step = if value == self.element {
            Step::Element
        } else if let Some(which) = self.before.iter().position(|b| *b == value) {
            Step::Before(which)
        } else {
            self.operation(value, value.def()?)?
        };
        self.steps.push(step);
        self.seen.insert(value, self.steps.len() - 1);
        Some(self.steps.len() - 1)
    }

    fn operation(&mut self, value: Value, op: Op) -> Option<Step> {
        let name = op.name().to_string();
        let predicate = op.attr("predicate").and_then(Attr::as_int);
        let same = op.attr("dim").and_then(Attr::as_int) == Some(self.dim as i64);
        Some(match name.as_str() {
            "arith.constant" => Step::Constant(number(value)?),
            "linalg.index" if same => Step::Position,
            "arith.index_cast" => {
                let from = self.read(op.operand(0))?;
                Step::Bits('|', from, from)
            }
            "arith.select" => {
                Step::Select(self.read(op.operand(0))?, self.read(op.operand(1))?, self.read(op.operand(2))?)
            }
            "arith.cmpf" | "arith.cmpi" => {
                Step::Compare(predicate?, self.read(op.operand(0))?, self.read(op.operand(1))?)
            }
            "arith.andi" => Step::Bits('&', self.read(op.operand(0))?, self.read(op.operand(1))?),
            "arith.ori" => Step::Bits('|', self.read(op.operand(0))?, self.read(op.operand(1))?),
            "arith.xori" => Step::Bits('^', self.read(op.operand(0))?, self.read(op.operand(1))?),
            name if halyard_ir::EXTREMES.contains(&name) => {
                Step::Extreme(name.into(), self.read(op.operand(0))?, self.read(op.operand(1))?)
            }
            _ => return None,
        })
    }
}

impl Body {
    fn may_be_parted(&self, start: Option<Number>, nowhere: i64, float: bool) -> bool {
        // Values that a comparison of the body can tell apart, positions on both sides of its constants.
        let mut values = vec![];
        let mut firsts = vec![0];
        for step in &self.steps {
            match *step {
                Step::Constant(c @ Number::Float(_)) => values.push(c),
                Step::Constant(Number::Int(n)) => {
                    firsts.extend((n - ROW as i64..=n).filter(|first| (1..i64::MAX - ROW as i64).contains(first)));
                }
                _ => {}
            }
        }
        values.truncate(2);
        firsts.truncate(16);
        values.extend(start);
        match float {
            true => values.extend([f64::NAN, -1.5, 2.5].map(Number::Float)),
            false => values.extend([-3, 2, 5].map(Number::Int)),
        }
        let starts = start.map_or_else(|| values.clone(), |s| vec![s]);
        let rows = values.len().pow(ROW as u32);
        starts.iter().all(|&start| {
            let start = [start, Number::Int(nowhere)];
            firsts.iter().all(|&first| {
                (0..rows).all(|mut code| {
                    let row = [(); ROW].map(|()| {
                        let value = values[code % values.len()];
                        code /= values.len();
                        value
                    });
                    self.agrees(start, &row, first)
                })
            })
        })
    }

    /// Whether each way to deal out a row gives what the whole row gives.
    fn agrees(&self, start: Choice, row: &[Number; ROW], first: i64) -> bool {
        let choose = |own: &dyn Fn(usize) -> bool| {
            let mut mine = (0..ROW).filter(|&k| own(k));
            mine.try_fold(start, |best, k| self.run(row[k], first + k as i64, best))
        };
        let same = |a: Choice, b: Choice| a[0].is(b[0]) && a[1].is(b[1]);
        let Some(whole) = choose(&|_| true) else { return false };
        PARTS.iter().all(|parts| {
            let (Some(a), Some(b)) = (choose(&|k| parts[k] == 0), choose(&|k| parts[k] == 1)) else { return false };
            let (Number::Int(at), Number::Int(bt)) = (a[1], b[1]) else { return false };
            let (early, late) = if bt < at { (b, a) } else { (a, b) };
            // Lanes of a vector do not ask whether the later part has chosen nothing; threads of a GPU do.
            let both = self.run(late[0], at.max(bt), early);
            both.is_some_and(|both| same(both, whole)) && (!late[1].is(start[1]) || same(early, whole))
        })
    }

    fn run(&self, element: Number, position: i64, before: Choice) -> Option<Choice> {
        let mut made: Vec<Number> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let value = match step {
                Step::Element => element,
                Step::Position => Number::Int(position),
                Step::Before(which) => before[*which],
                Step::Constant(c) => *c,
                Step::Compare(predicate, a, b) => Number::Int(compare(*predicate, made[*a], made[*b])?.into()),
                Step::Bits(how, a, b) => match (how, made[*a], made[*b]) {
                    ('&', Number::Int(a), Number::Int(b)) => Number::Int(a & b),
                    ('|', Number::Int(a), Number::Int(b)) => Number::Int(a | b),
                    ('^', Number::Int(a), Number::Int(b)) => Number::Int(a ^ b),
                    _ => return None,
                },
                Step::Select(c, a, b) => made[if made[*c].truth() { *a } else { *b }],
                Step::Extreme(name, a, b) => extreme(name, made[*a], made[*b])?,
            };
            made.push(value);
        }
        Some(self.yields.map(|y| made[y]))
    }
}

/// `arith.cmpi` and `arith.cmpf` by the numbers of their predicates.
fn compare(predicate: i64, a: Number, b: Number) -> Option<bool> {
    Some(match (a, b) {
        (Number::Int(a), Number::Int(b)) => {
            let (x, y) = (a as u64, b as u64);
            [a == b, a != b, a < b, a <= b, a > b, a >= b, x < y, x <= y, x > y, x >= y]
                .get(predicate as usize)
                .copied()?
        }
        (Number::Float(a), Number::Float(b)) => {
            let unordered = a.is_nan() || b.is_nan();
            let ordered = [false, a == b, a > b, a >= b, a < b, a <= b, a != b, true];
            match predicate {
                0..=7 => !unordered && ordered[predicate as usize],
                8..=13 => unordered || ordered[predicate as usize - 7],
                14 => unordered,
                15 => true,
                _ => return None,
            }
        }
        _ => return None,
    })
}

fn extreme(name: &str, a: Number, b: Number) -> Option<Number> {
    Some(match (a, b) {
        (Number::Int(a), Number::Int(b)) => Number::Int(match name {
            "arith.maxsi" => a.max(b),
            "arith.minsi" => a.min(b),
            "arith.maxui" => (a as u64).max(b as u64) as i64,
            "arith.minui" => (a as u64).min(b as u64) as i64,
            _ => return None,
        }),
        (Number::Float(a), Number::Float(b)) => Number::Float(match name {
            "arith.maximumf" | "arith.minimumf" if a.is_nan() || b.is_nan() => f64::NAN,
            "arith.maximumf" | "arith.maxnumf" => a.max(b),
            "arith.minimumf" | "arith.minnumf" => a.min(b),
            _ => return None,
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
