//! Fused attention: sums within sums in one kernel, a softmax or a normalisation of a product.
//!
//! A workgroup takes some rows of the result: neighbours along one dimension, on which sums inside of other sums depend.
//! What such sums give for these rows is kept in shared memory, one tensor after the other in the order of the program,
//! each computed by all threads ([`steps`]) from those before it; the result comes last, in the same way. So nothing is
//! added up twice for a row. How many rows fit is up to [`fit`].

mod fit;
mod steps;

use super::contraction::Product;
use super::part_plan::PartPlan;
use super::tile::Tile;
use crate::analysis::access::{NEST, Sym, Use};
use crate::graph::Kind;
use crate::schedule::planner::Planner;
use std::collections::{BTreeMap, BTreeSet};

/// What a dimension of a tensor is to a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It has one step.
    One,
    /// It is a dimension of the result of which the workgroup has some rows, or one.
    Row(usize),
    /// The workgroup has all of it.
    All,
}

/// How a tensor is computed for the rows of a workgroup.
#[derive(Clone, Debug)]
enum How {
    /// In tiles.
    Product(Box<Product>, Tile),
    /// Element by element, several threads (lanes) for each where its sums are long or elements are few.
    Items {
        /// Threads of an element.
        lanes: i64,
        /// Whether neighbouring threads have neighbouring elements; otherwise they are lanes of one.
        across: bool,
        /// What the lanes add up together, and where it is read.
        sums: Vec<(usize, Vec<Sym>)>,
    },
}

/// A tensor that a workgroup computes: a result, or what is kept for it.
#[derive(Clone, Debug)]
struct Step {
    /// The tensor; of results one of them.
    id: usize,
    /// For each of its dimensions: how much of it the workgroup has.
    places: Vec<Place>,
    /// How it is computed.
    how: How,
}

/// How a part is computed whose sums are made of sums.
#[derive(Clone, Debug)]
pub(super) struct FusedAttention {
    /// The dimensions of which a workgroup has one row each.
    outer: Vec<usize>,
    /// The one of which it has some, if there is any.
    tiled: Option<usize>,
    /// How many.
    count: i64,
    /// The threads of a workgroup.
    threads: i64,
    /// What is kept, in the order in which it is computed.
    kept: Vec<Step>,
    /// The result.
    last: Step,
}

impl FusedAttention {
    /// The threads of a workgroup.
    pub(super) fn threads(&self) -> i64 {
        self.threads
    }

    /// The rows of a workgroup.
    pub(super) fn count(&self) -> i64 {
        self.count
    }

    /// Whether a dimension is the one of which a workgroup has several rows.
    fn tiles(&self, place: Place) -> bool {
        matches!(place, Place::Row(d) if Some(d) == self.tiled)
    }

    /// What it is, in words.
    pub(super) fn explain(&self) -> String {
        let product = |s: &&Step| matches!(s.how, How::Product(..));
        let products = self.kept.iter().chain([&self.last]).filter(product).count();
        let tiled = match products {
            0 => String::new(),
            1 => ", a product in tiles".to_owned(),
            n => format!(", {n} products in tiles"),
        };
        format!("{} at a time, {} inner sums of a row in shared memory{tiled}", self.count, self.kept.len())
    }
}

impl Planner<'_> {
    /// The rows of a part that share sums inside of other sums, if there are such and they fit.
    pub(super) fn attention_of(&self, part: &PartPlan) -> Option<FusedAttention> {
        let wide = |d: usize| part.dims[d].known() != Some(1);
        let sums = self.sums_in_sums(part)?;
        let of_result = |s: &Sym| s.vars().any(|v| v.0 == NEST);
        let mut rows = BTreeSet::new();
        for sym in sums.iter().filter(|u| !u.inside.is_empty()).flat_map(|u| &u.idx).filter(|s| of_result(s)) {
            rows.insert(sym.exactly()?.1);
        }
        let is_row = |s: &Sym| s.exactly().filter(|v| v.0 == NEST && rows.contains(&v.1)).map(|v| v.1);
        let mut kept: BTreeMap<usize, Vec<&Use>> = BTreeMap::new();
        for u in &sums {
            let result = part.roots.iter().any(|r| r.0 == u.id);
            if !u.inside.is_empty() || (!result && u.idx.iter().all(|s| *s == Sym::default() || is_row(s).is_some())) {
                kept.entry(u.id).or_default();
            }
        }
        for u in &sums {
            kept.entry(u.id).and_modify(|uses| uses.push(u));
        }
        let places = |(id, uses): (usize, Vec<&Use>)| {
            let dims = &self.graph.tensors[id].dims;
            let place = |p: usize| {
                let row = is_row(&uses[0].idx[p]).filter(|_| uses.iter().all(|u| u.idx[p] == uses[0].idx[p]));
                match row {
                    _ if dims[p].known() == Some(1) => Place::One,
                    Some(d) => Place::Row(d),
                    None => Place::All,
                }
            };
            (id, (0..dims.len()).map(place).collect::<Vec<_>>())
        };
        let kept: Vec<_> = kept.into_iter().map(places).collect();
        // Where no inner sum depends on the result, workgroups divide it among each other all the same.
        let mut outer: Vec<usize> = rows.iter().copied().collect();
        let size = |d: usize| part.dims[d].known().unwrap_or(i64::MAX);
        let tiled = outer.pop().or_else(|| (0..part.dims.len()).filter(|&d| wide(d)).max_by_key(|&d| size(d)));
        let place = |d: usize| match wide(d) {
            false => Place::One,
            true if outer.contains(&d) || tiled == Some(d) => Place::Row(d),
            true => Place::All,
        };
        let last: Vec<Place> = (0..part.dims.len()).map(place).collect();
        self.fit(part, (outer, tiled), kept, last)
    }

    /// The uses of sums when a part is computed, if some of them change from step to step of another one.
    pub(super) fn sums_in_sums(&self, part: &PartPlan) -> Option<Vec<Use>> {
        let wide = |d: usize| part.dims[d].known() != Some(1);
        let idx: Vec<Sym> =
            (0..part.dims.len()).map(|d| if wide(d) { Sym::var((NEST, d)) } else { Sym::default() }).collect();
        let all = part.roots.iter().flat_map(|r| self.graph.uses(r.0, idx.clone(), &BTreeSet::new()));
        let sums: Vec<Use> = all.filter(|u| self.adds_up(u.id)).collect();
        let steps = |u: &Use| u.idx.iter().flat_map(Sym::vars).any(|v| v.0 != NEST);
        sums.iter().any(|u| !u.inside.is_empty() && steps(u)).then_some(sums)
    }

    /// Whether a tensor is a result of a reduction.
    fn adds_up(&self, id: usize) -> bool {
        matches!(self.graph.tensors[id].kind, Kind::Result { node, .. } if self.graph.nodes[node].reduction.contains(&true))
    }
}
