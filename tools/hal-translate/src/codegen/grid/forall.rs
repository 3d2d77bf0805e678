//! A parsed `scf.forall`: the bounds of its loops, their mappings, and the slices that it writes.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// The marker in attributes of slices for an offset, size or stride that is an operand.
pub(super) const DYNAMIC: i64 = i64::MIN;

/// A number that is known, or a value: a bound of a loop, an offset of a slice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Known(i64),
    Given(Value),
}

/// One loop of a `scf.forall`.
#[derive(Clone, Copy)]
pub(super) struct Loop {
    pub lower: Bound,
    pub upper: Bound,
    pub step: Bound,
}

/// A `scf.forall` whose iterations are workgroups.
pub(super) struct Forall {
    pub op: Op,
    pub axes: Axes,
    pub writes: Vec<Write>,
}

/// A result of the export that it makes.
pub(super) struct Write {
    /// The index of the export's result.
    pub result: usize,
    /// The index of the loop's result.
    pub output: usize,
    pub init: Init,
}

/// The initial contents of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Init {
    /// Undefined: a `tensor.empty`.
    Nothing,
    /// A scalar in all elements: a `linalg.fill`.
    Fill,
    /// The argument whose buffer it shares.
    Tied,
    /// Another tensor.
    Value,
}

/// How loops map to dimensions of the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    /// Each loop has its own dimension: 0 is x.
    Apart(Vec<usize>),
    /// All loops are linearised in x; slowest first.
    Numbered(Vec<usize>),
}

impl Bound {
    pub(super) fn value(self, at: &Builder) -> Value {
        match self {
            Self::Known(n) => at.index(n),
            Self::Given(value) => value,
        }
    }

    pub(super) fn known(self) -> Option<i64> {
        match self {
            Self::Known(n) => Some(n),
            Self::Given(value) => constant(value),
        }
    }
}

impl Loop {
    /// The number of iterations, where it is known.
    pub(super) fn trips(&self) -> Option<i64> {
        let (lower, upper, step) = (self.lower.known()?, self.upper.known()?, self.step.known()?);
        (step > 0).then(|| ((upper - lower).max(0) + step - 1) / step)
    }

    /// Returns the trip count as a value.
    pub(super) fn trips_at(&self, at: &Builder) -> Value {
        let index = Type::index(at.context());
        match self.trips() {
            Some(known) => at.index(known),
            None => {
                let mut span = self.upper.value(at);
                if self.lower.known() != Some(0) {
                    span = at.value("arith.subi", &[span, self.lower.value(at)], index, &[]);
                }
                if self.step.known() == Some(1) {
                    return span;
                }
                at.value("arith.ceildivsi", &[span, self.step.value(at)], index, &[])
            }
        }
    }
}

impl Forall {
    /// Returns the loops, outermost first.
    pub(super) fn loops(&self) -> Vec<Loop> {
        loops(self.op)
    }

    /// The induction variables of the loops.
    pub(super) fn ivs(&self) -> Vec<Value> {
        let args = self.op.body().map(|b| b.args()).unwrap_or_default();
        args[..args.len() - self.op.result_count()].to_vec()
    }

    /// Returns the arguments of the body that correspond to the results, in order.
    pub(super) fn outputs(&self) -> Vec<Value> {
        let args = self.op.body().map(|b| b.args()).unwrap_or_default();
        args[args.len() - self.op.result_count()..].to_vec()
    }

    /// Returns the initial values of the results.
    pub(super) fn inits(&self) -> Vec<Value> {
        let operands = self.op.operands();
        operands[operands.len() - self.op.result_count()..].to_vec()
    }

    /// The slices of a result that it writes at its end.
    pub(super) fn inserts(&self, write: &Write) -> Vec<Op> {
        let output = self.outputs()[write.output];
        let end = self.op.body().and_then(|b| b.terminator());
        let all = end.and_then(|end| end.body()).map(|b| b.ops()).unwrap_or_default();
        all.into_iter().filter(|insert| insert.operand(1) == output).collect()
    }
}

/// Reads the loops of a `scf.forall`.
fn loops(op: Op) -> Vec<Loop> {
    let segments = op.attr("operandSegmentSizes").and_then(Attr::as_i64s).unwrap_or_default();
    let mut operands = op.operands().into_iter();
    let mut bounds =
        ["staticLowerBound", "staticUpperBound", "staticStep"].into_iter().zip(segments).map(|(name, n)| {
            let mut given: Vec<Value> = operands.by_ref().take(usize::try_from(n).unwrap_or(0)).collect();
            let known = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
            let mut given = given.drain(..);
            let bound = |n: i64| match n {
                DYNAMIC => Bound::Given(given.next().expect("an operand for each dynamic bound")),
                n => Bound::Known(n),
            };
            known.into_iter().map(bound).collect::<Vec<_>>()
        });
    let [lower, upper, step] = [(); 3].map(|()| bounds.next().unwrap_or_default());
    let each = lower.into_iter().zip(upper).zip(step);
    each.map(|((lower, upper), step)| Loop { lower, upper, step }).collect()
}

/// The number that a value is, if it is a constant.
pub(super) fn constant(value: Value) -> Option<i64> {
    value.def().filter(|d| d.is("arith.constant"))?.attr("value")?.as_int()
}

/// The offsets, sizes and strides of an operation on slices, whose operands for them begin at `first`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Slice {
    pub offsets: Vec<Bound>,
    pub sizes: Vec<Bound>,
    pub strides: Vec<Bound>,
}

impl Slice {
    /// Reads the slice of a `tensor.extract_slice` (`first` is 1) or `tensor.parallel_insert_slice` (`first` is 2).
    pub(super) fn of(op: Op, first: usize) -> Self {
        let mut operands = op.operands().into_iter().skip(first);
        let mut bounds = |name: &str| -> Vec<Bound> {
            let known = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
            let bound = |n: i64| match n {
                DYNAMIC => Bound::Given(operands.next().expect("an operand for each dynamic part of a slice")),
                n => Bound::Known(n),
            };
            known.into_iter().map(bound).collect()
        };
        Self { offsets: bounds("static_offsets"), sizes: bounds("static_sizes"), strides: bounds("static_strides") }
    }

    /// Returns the values that it depends on.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        self.offsets.iter().chain(&self.sizes).chain(&self.strides).filter_map(|bound| match bound {
            Bound::Given(value) => Some(*value),
            Bound::Known(_) => None,
        })
    }
}
