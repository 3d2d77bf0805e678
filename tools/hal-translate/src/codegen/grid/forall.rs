//! A parsed `scf.forall`: its loops, their mappings, and the slices that it writes.
use halyard_ir::{Attr, Bound, DYNAMIC, ForallLoop, Op, Value};

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

impl Forall {
    /// Returns the loops, outermost first.
    pub(super) fn loops(&self) -> Vec<ForallLoop> {
        ForallLoop::all(self.op)
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
        let all = end.map(Op::body_ops).unwrap_or_default();
        all.into_iter().filter(|insert| insert.operand(1) == output).collect()
    }
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
