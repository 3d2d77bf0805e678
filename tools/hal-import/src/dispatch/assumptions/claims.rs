//! What each operation takes for granted about the sizes that it works on.
mod slices;
mod structured;
mod tensors;

use super::{sizes::Sizes, symbols::Sym};
use halyard_ir::{Op, Value};
use slices::{concat, element, insert_slice, slice, slice_in_loop};
use structured::{pack, step, step_inside, steps, structured};
use tensors::{alike, cast, dim, expand, reshape};

/// How two numbers have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// The same.
    Equal,
    /// The first one is not greater.
    AtMost,
    /// The first one is an index into as many as the second one says.
    Inside,
}

/// A condition that has to hold before an operation runs.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) relation: Relation,
    pub(super) left: Sym,
    pub(super) right: Sym,
    /// Where one of these is 0, nothing has to hold.
    pub(super) unless_zero: Vec<Sym>,
    /// Nor where one of these loops ends where it starts, or before: start and end.
    pub(super) unless_idle: Vec<(Sym, Sym)>,
    /// What to say where it does not hold; `{0}`, `{1}`, … stand for `shown`.
    pub(super) text: String,
    pub(super) shown: Vec<Sym>,
    /// The same from numbers that are exact, and harder to see through, for where this one does not surely hold.
    pub(super) exact: Option<Box<Claim>>,
}

impl Claim {
    fn new(relation: Relation, left: Sym, right: Sym, text: String) -> Self {
        let shown = vec![left.clone(), right.clone()];
        Self { relation, left, right, unless_zero: Vec::new(), unless_idle: Vec::new(), text, shown, exact: None }
    }

    fn natural(size: &Sym, text: String) -> Self {
        let claim = Self::new(Relation::AtMost, Sym::constant(0), size.clone(), text);
        Self { shown: vec![size.clone()], ..claim }
    }
}

/// The claims of an operation, in the order in which they are checked.
pub(super) fn claims(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let name = op.name();
    let made = |sizes: &mut Sizes| natural_result(sizes, op.result(0));
    match &*name {
        "tensor.empty" | "tensor.generate" | "tensor.splat" => made(sizes),
        "tensor.pad" => made(sizes)
            .into_iter()
            .map(|c| Claim { text: format!("its padding is more than there is: {}", c.text), ..c })
            .collect(),
        "tensor.cast" => cast(sizes, op),
        "tensor.extract_slice" => slice(sizes, op, op.operand(0), 1),
        "tensor.insert_slice" | "tensor.parallel_insert_slice" => insert_slice(sizes, op),
        // In a loop, they are checked element by element.
        "tensor.extract" | "tensor.insert" if is_in_loop(op) => Vec::new(),
        "tensor.extract" | "tensor.insert" => element(sizes, op),
        "tensor.expand_shape" => expand(sizes, op),
        "tensor.reshape" => reshape(sizes, op),
        "tensor.concat" => concat(sizes, op),
        "tensor.dim" => dim(sizes, op),
        "scf.for" => step(sizes, op),
        "scf.forall" => steps(sizes, op),
        "linalg.pack" => pack(sizes, op, (op.operand(0), op.operand(1))),
        "linalg.unpack" => pack(sizes, op, (op.operand(1), op.operand(0))),
        "linalg.softmax" => alike(sizes, op, &op.operands()),
        _ if name.starts_with("linalg.") => structured(sizes, op),
        _ if name.starts_with("arith.") || name.starts_with("math.") => alike(sizes, op, &op.operands()),
        _ => Vec::new(),
    }
}

/// The claims of an operation in a loop over elements, without those that guards check step by step.
pub(super) fn claims_in_loop(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    match &*op.name() {
        "tensor.extract_slice" | "tensor.insert_slice" => slice_in_loop(sizes, op),
        "tensor.extract" | "tensor.insert" => Vec::new(),
        // Those of inner loops whose steps are known before are claims of the outer one.
        "scf.for" => step_inside(sizes, op),
        _ => claims(sizes, op),
    }
}

/// The claims of an operation in a loop that was distributed, in which nothing is checked.
pub(super) fn claims_in_distributed(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    match &*op.name() {
        "tensor.extract" | "tensor.insert" => element(sizes, op),
        _ => claims(sizes, op),
    }
}

fn is_in_loop(op: Op) -> bool {
    std::iter::successors(op.parent(), |op| op.parent()).any(|op| op.is("scf.for") || op.is("scf.while"))
}

/// No dimension is negative.
fn natural_result(sizes: &mut Sizes, result: Value) -> Vec<Claim> {
    let dims = sizes.dims(result);
    let one = |(d, size): (usize, &Sym)| Claim::natural(size, format!("dimension {d} of its result has size {{0}}"));
    dims.iter().enumerate().map(one).collect()
}
