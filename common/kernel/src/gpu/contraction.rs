//! Which reductions are products of matrices: sums of products of two operands, each of which some loops do not
//! move.
//!
//! The loops of the result are rows (they move the first operand alone), columns (the second alone) and batches
//! (both). A convolution is one, too: its filter has the rows, its image the columns, and its windows are what is
//! summed up.
use super::part_plan::PartPlan;
use crate::analysis::access::{NEST, Stride, Sym, stride, symbolic};
use crate::graph::{Input, Kind};
use crate::schedule::planner::Planner;
use halyard_ir::{Op, Type, Value};
use std::collections::BTreeSet;

/// An operand of a product.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// The number of the input of the product.
    pub(super) input: usize,
    /// Its tensor.
    pub(super) tensor: usize,
    /// The loops that move it alone, of more than one step.
    pub(super) dims: Vec<usize>,
    /// What is done to an element before it is multiplied, first to last.
    pub(super) casts: Vec<Op>,
    /// Whether neighbours along the sum are neighbours in memory.
    pub(super) along_sum: bool,
}

/// A product of matrices.
#[derive(Clone, Debug)]
pub(super) struct Product {
    /// The reduction.
    pub(super) node: usize,
    /// Its result.
    pub(super) result: usize,
    /// The operand of the rows and that of the columns.
    pub(super) sides: [Side; 2],
    /// The loops that move both.
    pub(super) batch: Vec<usize>,
    /// The loops of the sum.
    pub(super) sum: Vec<usize>,
    /// The type that is added up.
    pub(super) total: Type,
    /// For each dimension of the part: the loop of the reduction that it is, if it has more than one step.
    pub(super) loops: Vec<Option<usize>>,
}

impl Product {
    /// The bytes of a factor as it is multiplied.
    pub(super) fn factor_bytes(&self) -> i64 {
        let ty = self.total;
        if ty.is_float() && ty.bits() < 32 { 4 } else { ty.byte_width() as i64 }
    }
}

impl Planner<'_> {
    /// The product that a part is, up to what is done to each element of it.
    pub(super) fn product_of(&self, part: &PartPlan) -> Option<Product> {
        let idx: Vec<Sym> = (0..part.dims.len())
            .map(|d| if part.dims[d].known() == Some(1) { Sym::default() } else { Sym::var((NEST, d)) })
            .collect();
        let mut found: Option<(usize, Vec<Sym>)> = None;
        for (root, _) in &part.roots {
            for u in self.graph.uses(*root, idx.clone(), &BTreeSet::new()) {
                let Kind::Result { node, .. } = self.graph.tensors[u.id].kind else { continue };
                if !self.graph.nodes[node].reduction.contains(&true) || !u.inside.is_empty() {
                    continue;
                }
                match &found {
                    None => found = Some((u.id, u.idx)),
                    Some((id, idx)) if *id == u.id && *idx == u.idx => {}
                    Some(_) => return None,
                }
            }
        }
        let (result, at) = found?;
        let Kind::Result { node, .. } = self.graph.tensors[result].kind else { return None };
        let n = &self.graph.nodes[node];
        if n.results.len() != 1 {
            return None;
        }
        let mut loops = vec![None; part.dims.len()];
        for (d, place) in n.place.iter().enumerate() {
            let Some(place) = *place else { continue };
            if n.dims[d].known() == Some(1) {
                continue;
            }
            let (of, dim) = at[place].exactly()?;
            if of != NEST || loops[dim].is_some() {
                return None;
            }
            loops[dim] = Some(d);
        }
        if (0..loops.len()).any(|d| loops[d].is_none() && part.dims[d].known() != Some(1)) {
            return None;
        }
        let (first, second) = self.factors(node)?;
        let total = self.graph.tensors[result].elem;
        let wide = |d: &usize| n.dims[*d].known() != Some(1);
        let moves = |input: usize, d: usize| n.maps[input].iter().any(|e| e.uses_dim(d));
        let sum: Vec<usize> = n.reductions().into_iter().filter(wide).collect();
        let parallel: Vec<usize> = (0..n.dims.len()).filter(|&d| !n.reduction[d]).filter(wide).collect();
        let batch = parallel.iter().copied().filter(|&d| moves(first.0, d) == moves(second.0, d)).collect();
        let side = |(input, casts): (usize, Vec<Op>), other: usize| -> Option<Side> {
            let Input::Tensor(tensor) = n.inputs[input] else { return None };
            let own = parallel.iter().copied().filter(|&d| moves(input, d) && !moves(other, d));
            let dims: Vec<usize> = own.collect();
            let along_sum = self.runs_along(node, input, tensor, sum.last().copied(), dims.last().copied());
            Some(Side { input, tensor, dims, casts, along_sum })
        };
        let (a, b) = (first.0, second.0);
        let (first, second) = (side(first, b)?, side(second, a)?);
        // The columns are those along which the result lies in memory.
        let fastest = part.dims.iter().rposition(|d| d.known() != Some(1)).and_then(|d| loops[d]);
        let transposed = fastest.is_some_and(|d| first.dims.contains(&d));
        let sides = if transposed { [second, first] } else { [first, second] };
        Some(Product { node, result, sides, batch, sum, total, loops })
    }

    /// Whether an operand is contiguous along a loop of the sum rather than along a loop of the result.
    pub(super) fn runs_along(
        &self,
        node: usize,
        input: usize,
        tensor: usize,
        sum: Option<usize>,
        own: Option<usize>,
    ) -> bool {
        let n = &self.graph.nodes[node];
        let domain: Vec<Sym> = (0..n.dims.len()).map(|d| Sym::var((node, d))).collect();
        let idx = n.maps[input].iter().map(|e| symbolic(e, &domain)).collect();
        let uses = self.graph.uses(tensor, idx, &BTreeSet::new());
        let leaf = uses.iter().find_map(|u| match &self.graph.tensors[u.id].kind {
            Kind::Memory(memory) => Some((memory, u)),
            _ => None,
        });
        let Some((memory, u)) = leaf else { return true };
        let step = |d: Option<usize>| d.map(|d| stride(memory, &u.idx, (node, d)));
        step(sum) == Some(Stride::Known(1)) && step(own) != Some(Stride::Known(1))
    }

    /// The inputs that are multiplied and added up, and what is done to them before.
    fn factors(&self, node: usize) -> Option<((usize, Vec<Op>), (usize, Vec<Op>))> {
        let n = &self.graph.nodes[node];
        let accumulator = *n.body.args().last()?;
        let add = n.body.terminator()?.operand(0).def()?;
        if !matches!(add.name().as_str(), "arith.addf" | "arith.addi") || accumulator.uses().len() != 1 {
            return None;
        }
        let product = match (add.operand(0) == accumulator, add.operand(1) == accumulator) {
            (true, false) => add.operand(1),
            (false, true) => add.operand(0),
            _ => return None,
        };
        let multiply = product.def().filter(|d| matches!(d.name().as_str(), "arith.mulf" | "arith.muli"))?;
        let source = |value: Value| -> Option<(usize, Vec<Op>)> {
            let mut casts = Vec::new();
            let mut value = value;
            while let Some(op) = value.def() {
                if !CASTS.contains(&op.name().as_str()) {
                    return None;
                }
                casts.push(op);
                value = op.operand(0);
            }
            casts.reverse();
            let input = n.body.args().iter().position(|&a| a == value)?;
            (input < n.inputs.len()).then_some((input, casts))
        };
        let (a, b) = (source(multiply.operand(0))?, source(multiply.operand(1))?);
        (a.0 != b.0).then_some((a, b))
    }

    /// The steps of several loops together, if they are known.
    pub(super) fn known_steps(&self, node: usize, dims: &[usize]) -> Option<i64> {
        let sizes: Vec<Option<i64>> = dims.iter().map(|&d| self.graph.nodes[node].dims[d].known()).collect();
        if sizes.contains(&Some(0)) { Some(0) } else { sizes.into_iter().try_fold(1, |n, size| Some(n * size?)) }
    }
}

/// Conversions that keep zero.
const CASTS: &[&str] = &["arith.extf", "arith.extsi", "arith.extui", "arith.sitofp", "arith.uitofp"];
