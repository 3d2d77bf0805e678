//! Kernels for GPUs: threads that pull their elements.
//!
//! The graph and everything that computes an element of it is that of CPUs, with one lane. What differs is who
//! computes what: the results of an export are [`parts`], each a tensor to be stored over its own workgroups; the
//! numbers of threads and workgroups come from [`threads`]. [`elements`] takes every part: one thread per element.
//! Where elements share work, whole workgroups do it: [`product`] for products of matrices ([`contraction`] finds
//! them), [`rows`] for sums and what is divided by them, [`nested`] for sums of sums, [`transpose`] for what lies the
//! other way round.

mod choices;
mod combine;
mod contraction;
mod elements;
mod estimate;
mod explain;
mod filtering;
mod forms;
mod fragments;
mod functions;
mod matrix;
mod nested;
mod parts;
mod product;
mod rows;
mod space;
mod strips;
mod threads;
mod tiles;
mod transpose;
mod turns;

use super::Emitter;
use super::code::{Coder, Emitted};
use super::ix::Ix;
use super::memory::Memory;
use crate::machine::gpu::{NARROWEST_PRODUCT, WORKGROUPS_IN_X};
use contraction::Product;
pub(super) use filtering::rewrite as unfilter;
pub use forms::EXACT;
use halyard_ir::Value;
use nested::Nested;
use parts::Part;
use rows::Rows;
use tiles::{Tile, Wish};
use transpose::Turn;

/// How a part is computed.
enum Way {
    /// One thread per element.
    Elements,
    /// In tiles.
    Product(Box<Product>, Tile),
    /// Some rows at a time, whose inner sums are kept.
    Nested(Box<Nested>),
    /// Row by row.
    Rows(Rows),
    /// Through shared memory, turned around.
    Turn(Turn),
}

impl Way {
    /// The threads of a workgroup, if it matters.
    fn threads(&self) -> Option<i64> {
        match self {
            Way::Elements => None,
            Way::Product(_, tile) => Some(tile.threads()),
            Way::Nested(nested) => Some(nested.threads()),
            Way::Rows(rows) => Some(rows.threads()),
            Way::Turn(turn) => Some(turn.threads()),
        }
    }
}

impl Emitter<'_> {
    /// Computes the results into their memory; gives the threads of a workgroup.
    pub(crate) fn gpu(&mut self, returned: &[Value], memories: &[Memory], tied: &[Option<usize>]) -> Emitted<[i64; 3]> {
        let ids = returned.iter().map(|&v| self.id(v)).collect::<Emitted<Vec<_>>>()?;
        let mut parts = self.parts(&ids, memories, tied)?;
        let mut ways: Vec<Way> = Vec::new();
        for part in &parts {
            self.choices.begin();
            ways.push(self.way(part));
        }
        let fixed = ways.iter().find_map(Way::threads);
        let threads = fixed.unwrap_or_else(|| self.wished_threads(ways.len()));
        for way in ways.iter_mut().filter(|w| w.threads().is_some_and(|n| n != threads)) {
            *way = Way::Elements;
        }
        for (at, (part, way)) in parts.iter_mut().zip(&ways).enumerate() {
            self.choices.reopen(Some(at));
            self.record_way(part, way, threads, fixed.is_some());
        }
        self.choices.reopen(None);
        let mut counts = Vec::new();
        for (part, way) in parts.iter().zip(&ways) {
            counts.push(match way {
                Way::Elements => self.element_workgroups(part, threads),
                Way::Product(product, tile) => self.product_workgroups(product, *tile),
                Way::Nested(nested) => self.nested_workgroups(part, nested),
                Way::Rows(rows) => self.row_workgroups(part, rows),
                Way::Turn(turn) => self.turn_workgroups(part, *turn),
            });
        }
        let total = counts.iter().fold(Ix::ZERO, |sum, &n| self.code.add(sum, n));
        self.workgroups.push(total);
        let (group, thread) = (self.workgroup_number(total), self.thread());
        let mut first = Ix::ZERO;
        for ((part, way), &count) in parts.iter().zip(&ways).zip(&counts) {
            let end = self.code.add(first, count);
            let own = self.code.sub(group, first);
            let body = |this: &mut Self| match way {
                Way::Elements => this.elements(part, own, thread, threads),
                Way::Product(product, tile) => this.product(part, product, *tile, own, thread),
                Way::Nested(nested) => this.nested(part, nested, own, thread),
                Way::Rows(rows) => this.rows(part, rows, own, thread),
                Way::Turn(turn) => this.turn_tile(part, *turn, own, thread),
            };
            if parts.len() == 1 && count.known().is_some_and(|n| n <= WORKGROUPS_IN_X) {
                self.code_scoped(body)?;
            } else {
                self.within_range(group, first, end, body)?;
            }
            let text = self.explain_way(part, way, count, threads);
            self.said.push(text);
            first = end;
        }
        Ok([threads, 1, 1])
    }

    /// How a part is computed.
    fn way(&mut self, part: &Part) -> Way {
        let family = self.choices.word("family", |_| true);
        let wanted = |name: &str| family.as_deref().is_none_or(|family| family == name);
        if let Some(nested) = Some(part).filter(|_| wanted("fused_rows")).and_then(|part| self.nested_of(part)) {
            return Way::Nested(Box::new(nested));
        }
        if let Some(product) = Some(part).filter(|_| wanted("product")).and_then(|part| self.product_of(part)) {
            let sizes = [0, 1].map(|s| self.steps(product.node, &product.sides[s].dims).known());
            let batch = self.steps(product.node, &product.batch).known();
            if family.is_some() || sizes.iter().all(|n| n.is_none_or(|n| n >= NARROWEST_PRODUCT)) {
                let cores = self.cores(&product).filter(|_| self.choices.flag("tensor_cores", true));
                let pulled = [0, 1].map(|s| cores.is_none_or(|cores| self.streamed(&product, cores, s).is_none()));
                let bytes = cores.map_or(self.factor_type(&product).byte_width() as i64, |cores| cores.bytes());
                let sum = self.steps(product.node, &product.sum).known();
                let (machine, matrix) = (self.code.machine, cores.is_some());
                let tile = self.wished_product(&Wish { machine, matrix, bytes, pulled, sizes, sum, batch }, &product);
                return Way::Product(Box::new(product), tile);
            }
        }
        if let Some(rows) = Some(part).filter(|_| wanted("rows")).and_then(|part| self.rows_of(part)) {
            return Way::Rows(rows);
        }
        let turn = Some(part).filter(|_| wanted("transposition")).and_then(|part| self.turn_of(part));
        turn.map_or(Way::Elements, Way::Turn)
    }

    /// Runs a body in the workgroups of a range.
    fn within_range(
        &mut self,
        group: Ix,
        first: Ix,
        end: Ix,
        body: impl FnOnce(&mut Self) -> Emitted<()>,
    ) -> Emitted<()> {
        let (at, first, end) = (self.code.ix(group), self.code.ix(first), self.code.ix(end));
        let (after, before) = (self.code.compare(5, at, first), self.code.compare(2, at, end));
        let inside = self.code.math("arith.andi", &[after, before]);
        self.when(inside, body)
    }

    /// Runs a body where a condition holds.
    fn when(&mut self, condition: Value, body: impl FnOnce(&mut Self) -> Emitted<()>) -> Emitted<()> {
        let done = self.if_else(
            condition,
            &[],
            |this| {
                body(this)?;
                Ok(Vec::new())
            },
            |_| Ok(Vec::new()),
        );
        done.map(|_| ())
    }
}
