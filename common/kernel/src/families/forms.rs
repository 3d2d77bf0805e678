//! What bodies of the families are made of.
use crate::analysis::access::{NEST, Sym};
use crate::graph::Memory;
use crate::graph::{Graph, Input, Kind, Node, Place, Symbolic};
use halyard_ir::{AffineKind, Value};
use std::collections::BTreeSet;

/// A dimension.
pub(super) fn dim(d: usize) -> AffineKind {
    AffineKind::Dim(d)
}

/// A dimension divided by a constant, rounded down.
pub(super) fn over(d: usize, by: i64) -> AffineKind {
    AffineKind::FloorDiv(Box::new(dim(d)), Box::new(AffineKind::Constant(by)))
}

/// What is left of that.
pub(super) fn rest(d: usize, by: i64) -> AffineKind {
    AffineKind::Mod(Box::new(dim(d)), Box::new(AffineKind::Constant(by)))
}

/// Dimensions as indices.
pub(super) fn dims(of: &[usize]) -> Vec<AffineKind> {
    of.iter().map(|d| dim(*d)).collect()
}

/// Step and dilation of an index `o * step + k * dilation`.
pub(super) fn window(expr: &AffineKind, o: usize, k: usize) -> Option<(i64, i64)> {
    let AffineKind::Add(a, b) = expr else { return None };
    let times = |e: &AffineKind, d: usize| match e {
        AffineKind::Dim(at) if *at == d => Some(1),
        AffineKind::Mul(at, by) => match (&**at, &**by) {
            (AffineKind::Dim(at), AffineKind::Constant(by)) if *at == d => Some(*by),
            _ => None,
        },
        _ => None,
    };
    Some((times(a, o)?, times(b, k)?))
}

/// The inputs whose products a node adds to what it starts from.
pub(super) fn factors(node: &Node<Symbolic>) -> Option<(usize, usize)> {
    let args = node.body.args();
    let sum = *args.get(node.inputs.len())?;
    let add = node.body.terminator()?.operand(0).def().filter(|op| op.is("arith.addf") || op.is("arith.addi"))?;
    let multiply = if add.is("arith.addf") { "arith.mulf" } else { "arith.muli" };
    let product = match (add.operand(0) == sum, add.operand(1) == sum) {
        (true, false) => add.operand(1),
        (false, true) => add.operand(0),
        _ => return None,
    };
    let product = product.def().filter(|op| op.is(multiply))?;
    let input = |value: Value| {
        let inner = value.def().filter(|op| op.is("arith.extf")).map_or(value, |op| op.operand(0));
        args.iter().position(|a| *a == inner).filter(|at| *at < node.inputs.len())
    };
    (node.inputs.len() == 2).then_some((input(product.operand(0))?, input(product.operand(1))?))
}

impl Graph {
    /// The input tensors of a node.
    pub(super) fn inputs_of(&self, node: &Node<Symbolic>) -> Option<Vec<usize>> {
        node.inputs.iter().map(|i| if let Input::Tensor(t) = i { Some(*t) } else { None }).collect()
    }

    /// Whether a node adds products of all its inputs, floats or (`integers`) words, to zero, with so many parallel loops and reductions
    /// after them.
    pub(super) fn sums_products(
        &self,
        node: &Node<Symbolic>,
        integers: bool,
        parallel: usize,
        reductions: usize,
    ) -> bool {
        let [add_name, multiply] = if integers { ["arith.addi", "arith.muli"] } else { ["arith.addf", "arith.mulf"] };
        let args = node.body.args();
        let ops = node.body.ops();
        let [products @ .., add, end] = ops.as_slice() else { return false };
        let multiplies = products.len() + 1 == node.inputs.len() && products.iter().all(|op| op.is(multiply));
        let loops = node.reduction.len() == parallel + reductions
            && node.reduction.iter().enumerate().all(|(d, r)| *r == (d >= parallel));
        multiplies
            && loops
            && add.is(add_name)
            && add.operands().contains(&args[node.inputs.len()])
            && end.operand(0) == add.result(0)
            && args.iter().all(|a| a.uses().len() == 1)
            && self.is_zero(node.inits[0])
    }

    /// Whether a node adds products of two 16-bit floats, each made wider before, to zero, with so many parallel loops and reductions after them.
    pub(super) fn sums_products_of_halves(&self, node: &Node<Symbolic>, parallel: usize, reductions: usize) -> bool {
        let args = node.body.args();
        let loops = node.reduction.len() == parallel + reductions
            && node.reduction.iter().enumerate().all(|(d, r)| *r == (d >= parallel));
        let halves = args.iter().take(node.inputs.len()).all(|a| a.ty().element().bits() == 16);
        // Two that make wider, product, sum, end.
        factors(node).is_some_and(|(a, b)| a != b)
            && node.body.ops().len() == 5
            && args.iter().all(|a| a.uses().len() == 1)
            && loops
            && halves
            && self.is_zero(node.inits[0])
    }

    /// The sizes of a tensor, if all are known.
    pub(super) fn known_sizes(&self, tensor: usize) -> Option<Vec<i64>> {
        self.tensors[tensor].dims.iter().map(|d| d.known()).collect()
    }

    /// The sizes of a tensor of images, with 1 for the number of images if only that is not known.
    pub(super) fn sizes_of_images(&self, tensor: usize) -> Option<Vec<i64>> {
        let (images, others) = self.tensors[tensor].dims.split_first()?;
        [Some(images.known().unwrap_or(1))].into_iter().chain(others.iter().map(|d| d.known())).collect()
    }

    /// Whether one tensor is computed from another one point by point: each of its elements from the element at the same
    /// place.
    pub(super) fn follows(&self, root: usize, from: usize) -> bool {
        self.follows_permuted(root, from).is_some_and(|dims| dims.into_iter().eq(0..self.tensors[root].dims.len()))
    }

    /// The same with dimensions in another order: for each dimension of `from`, the one of `root` that stands for it.
    pub(super) fn follows_permuted(&self, root: usize, from: usize) -> Option<Vec<usize>> {
        let (dims, source) = (&self.tensors[root].dims, &self.tensors[from].dims);
        if root == from {
            return Some((0..dims.len()).collect());
        }
        let idx: Vec<Sym> = (0..dims.len()).map(|d| Sym::var((NEST, d))).collect();
        let uses = self.uses(root, idx.clone(), &BTreeSet::from([from]));
        let read = uses.iter().find(|u| u.id == from)?;
        let order: Vec<usize> =
            read.idx.iter().map(|at| idx.iter().position(|var| var == at)).collect::<Option<_>>()?;
        let alike = uses.iter().all(|u| u.inside.is_empty() && (u.id != from || u.idx == read.idx));
        let whole = order.iter().copied().collect::<BTreeSet<_>>().len() == dims.len() && order.len() == dims.len();
        let sizes = order.iter().zip(source).all(|(&at, size)| dims[at] == *size);
        (alike && whole && sizes).then_some(order)
    }

    /// The numbers of a constant matrix of f32 or i32.
    pub(super) fn numbers(&self, tensor: usize) -> Option<Vec<f32>> {
        let Kind::Memory(Memory { ptr: Place::Constant(value), .. }) = self.tensors[tensor].kind else { return None };
        let (bytes, _) = halyard_ir::dense_bytes(value)?;
        let fours = bytes.as_chunks().0.iter();
        match &*self.tensors[tensor].elem.to_string() {
            "f32" => Some(fours.map(|b| f32::from_le_bytes(*b)).collect()),
            "i32" => Some(fours.map(|b| i32::from_le_bytes(*b) as f32).collect()),
            _ => None,
        }
    }
}
