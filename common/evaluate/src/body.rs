//! The body of a linalg operation as a list of steps on rows of elements.
use crate::{Array, Known, array::strides, lane};
use halyard_ir::{Attr, Block, Op, Value};
use halyard_runtime::commands::{Binary, ScalarType};
use halyard_scalars::{ScalarOp, scalar_of};
use std::collections::HashMap;

/// The elements that a scalar has in the iterations of a row: one if they are all the same.
pub(crate) type Row = Vec<u64>;

/// A scalar of the body, by number; the first are the block's arguments.
pub(crate) type Slot = usize;

enum Step {
    Apply { op: ScalarOp, ty: ScalarType, from: ScalarType, operands: Vec<Slot>, to: Slot },
    Index { loop_: usize, to: Slot },
    Extract { array: Array, indices: Vec<Slot>, to: Slot },
    Known { bits: u64, to: Slot },
}

/// What becomes of a result in each iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is that.
    Value(Slot),
    /// That is added to it; the sum is rounded at the end.
    Sum(Slot, ScalarType),
    /// The product of two is added to it; the sum is rounded at the end.
    Products([Slot; 2], ScalarType),
}

/// A body that can be computed.
pub(crate) struct Body {
    steps: Vec<Step>,
    slots: usize,
    /// One per result.
    pub(crate) outcomes: Vec<Outcome>,
}

impl Body {
    /// Reads the body of an operation with so many inputs before its inits; `sums` is whether some of its loops are reductions.
    pub(crate) fn read(block: Block, inputs: usize, sums: bool, known: Known<'_>) -> Option<Self> {
        let mut slots: HashMap<Value, Slot> = block.args().into_iter().enumerate().map(|(at, arg)| (arg, at)).collect();
        let ops = block.ops();
        let (end, ops) = ops.split_last()?;
        let mut left_out: Vec<Op> = Vec::new();
        let outcomes: Vec<(Value, Option<Vec<Value>>)> = (end.operands().into_iter().enumerate())
            .map(|(at, value)| {
                let addends = sums.then(|| addends(value, *block.args().get(inputs + at)?, &mut left_out)).flatten();
                (value, addends)
            })
            .collect();
        let mut body = Self { steps: Vec::new(), slots: slots.len(), outcomes: Vec::new() };
        for op in ops.iter().filter(|op| !left_out.contains(op)) {
            body.add(*op, &mut slots, known)?;
        }
        for (value, addends) in outcomes {
            let ty = scalar_of(value.ty())?;
            let mut slot = |value: &Value| body.slot(*value, &mut slots, known);
            let outcome = match addends.as_deref() {
                Some([a, b]) => Outcome::Products([slot(a)?, slot(b)?], ty),
                Some([a]) => Outcome::Sum(slot(a)?, ty),
                _ => Outcome::Value(slot(&value)?),
            };
            body.outcomes.push(outcome);
        }
        Some(body)
    }

    /// Whether nothing is computed but what the outcomes say.
    pub(crate) fn is_trivial(&self) -> bool {
        self.steps.is_empty()
    }

    fn fresh(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    /// The place of a value; one from outside of the body is known.
    fn slot(&mut self, value: Value, slots: &mut HashMap<Value, Slot>, known: Known<'_>) -> Option<Slot> {
        if let Some(slot) = slots.get(&value) {
            return Some(*slot);
        }
        let bits = known(value)?.as_splat()?;
        let to = self.fresh();
        self.steps.push(Step::Known { bits, to });
        slots.insert(value, to);
        Some(to)
    }

    fn add(&mut self, op: Op, slots: &mut HashMap<Value, Slot>, known: Known<'_>) -> Option<()> {
        let name = op.name();
        let result = *op.results().first()?;
        match &*name {
            "linalg.index" => {
                let (loop_, to) = (usize::try_from(op.attr("dim").and_then(Attr::as_int)?).ok()?, self.fresh());
                self.steps.push(Step::Index { loop_, to });
                slots.insert(result, to);
            }
            "tensor.extract" => {
                let operands = op.operands();
                let (tensor, indices) = operands.split_first()?;
                let array = known(*tensor)?;
                let indices = indices.iter().map(|i| self.slot(*i, slots, known)).collect::<Option<_>>()?;
                let to = self.fresh();
                self.steps.push(Step::Extract { array, indices, to });
                slots.insert(result, to);
            }
            _ => {
                let operation = ScalarOp::of(op, &name).filter(|_| op.result_count() == 1)?;
                let ty = scalar_of(result.ty())?;
                let from = op.operands().first().map_or(Some(ty), |v| scalar_of(v.ty()))?;
                let operands = op.operands().into_iter().map(|v| self.slot(v, slots, known)).collect::<Option<_>>()?;
                let to = self.fresh();
                self.steps.push(Step::Apply { op: operation, ty, from, operands, to });
                slots.insert(result, to);
            }
        }
        Some(())
    }

    /// Empty rows for [`Body::run`].
    pub(crate) fn rows(&self) -> Vec<Row> {
        vec![Row::new(); self.slots]
    }

    /// Computes all scalars of a row, of which the arguments are there. `index` gives the indices that a loop has in it.
    pub(crate) fn run(&self, rows: &mut [Row], index: impl Fn(usize, &mut Row)) -> Option<()> {
        for step in &self.steps {
            match step {
                Step::Known { bits, to } => rows[*to] = vec![*bits],
                Step::Index { loop_, to } => index(*loop_, &mut rows[*to]),
                Step::Apply { op, ty, from, operands, to } => {
                    let mut out = std::mem::take(&mut rows[*to]);
                    out.clear();
                    for at in 0..lanes(rows, operands) {
                        out.push(lane::apply(*op, *ty, *from, |i| at_lane(&rows[operands[i]], at))?);
                    }
                    rows[*to] = out;
                }
                Step::Extract { array, indices, to } => {
                    let mut out = std::mem::take(&mut rows[*to]);
                    out.clear();
                    let steps = strides(&array.shape);
                    for at in 0..lanes(rows, indices) {
                        let mut place = 0;
                        for (d, slot) in indices.iter().enumerate() {
                            let index = usize::try_from(at_lane(&rows[*slot], at)).ok()?;
                            if index >= array.shape[d] {
                                return None;
                            }
                            place += index * steps[d];
                        }
                        out.push(array.at(place));
                    }
                    rows[*to] = out;
                }
            }
        }
        Some(())
    }
}

/// The element of a row in an iteration.
pub(crate) fn at_lane(row: &Row, at: usize) -> u64 {
    if row.len() == 1 { row[0] } else { row[at] }
}

fn lanes(rows: &[Row], slots: &[Slot]) -> usize {
    slots.iter().map(|s| rows[*s].len()).max().unwrap_or(1)
}

/// What is added to `init` to give `value`: one number, or the two factors of a product that nothing else needs. What adds and multiplies goes to
/// `left_out`.
fn addends(value: Value, init: Value, left_out: &mut Vec<Op>) -> Option<Vec<Value>> {
    let single = |v: Value| v.uses().len() == 1;
    let made_by = |v: Value, binary| {
        let def = v.def().filter(|def| def.result_count() == 1 && single(v))?;
        (ScalarOp::of(def, &def.name()) == Some(ScalarOp::Binary(binary))).then_some(def)
    };
    let sum = made_by(value, Binary::AddF).filter(|_| single(init))?;
    let (a, b) = (sum.operand(0), sum.operand(1));
    let addend = if a == init {
        b
    } else if b == init {
        a
    } else {
        return None;
    };
    left_out.push(sum);
    match made_by(addend, Binary::MulF) {
        // The product of two f64 is not exact in f64.
        Some(product) if scalar_of(addend.ty()) != Some(ScalarType::F64) => {
            left_out.push(product);
            Some(vec![product.operand(0), product.operand(1)])
        }
        _ => Some(vec![addend]),
    }
}
