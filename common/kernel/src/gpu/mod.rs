//! Kernels for GPUs: threads that compute their elements.
//!
//! The graph and everything that computes an element of it is that of CPUs, with one lane. What differs is who
//! computes what: the results of an export are [`parts`], each a tensor to be stored over its own workgroups; the
//! numbers of threads and workgroups come from [`threads`]. [`elements`] takes every part: one thread per element.
//! Where elements share work, whole workgroups do it: [`matmul`] for products of matrices ([`contraction`] finds
//! them), [`rows`] for sums and what is divided by them, [`fused_attention`] for sums of sums, [`transpose`] for what lies
//! the other way round.

mod argminmax;
mod contraction;
mod elements;
mod estimate;
mod explain;
mod forms;
mod fragments;
mod functions;
mod fused_attention;
mod matmul;
mod matrix;
mod operand_panels;
mod parts;
mod range_reduction;
mod rows;
mod space;
mod threads;
mod tiles;
mod transpose;
mod warp_reduce;

use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::memory::Memory;
use crate::machine::gpu::WORKGROUPS_IN_X;
use contraction::Product;
pub use forms::EXACT;
use fused_attention::FusedAttention;
use halyard_ir::Value;
use parts::Part;
use rows::Rows;
use tiles::{Tile, TileRequest};
use transpose::Transposition;

/// How a part is computed.
enum Way {
    /// One thread per element.
    Elements,
    /// In tiles.
    Product(Box<Product>, Tile),
    /// Some rows at a time, whose inner sums are kept.
    FusedAttention(Box<FusedAttention>),
    /// Row by row.
    Rows(Rows),
    /// Through shared memory, transposed.
    Transposition(Transposition),
}

impl Way {
    /// The threads of a workgroup, if it matters.
    fn threads(&self) -> Option<i64> {
        match self {
            Way::Elements => None,
            Way::Product(_, tile) => Some(tile.threads()),
            Way::FusedAttention(attention) => Some(attention.threads()),
            Way::Rows(rows) => Some(rows.threads()),
            Way::Transposition(transposition) => Some(transposition.threads()),
        }
    }
}

impl Emitter<'_> {
    /// Computes the results into their memory; gives the threads of a workgroup.
    pub(crate) fn gpu(
        &mut self,
        returned: &[Value],
        memories: &[Memory],
        tied: &[Option<usize>],
    ) -> Supported<[i64; 3]> {
        let ids = returned.iter().map(|&v| self.id(v)).collect::<Supported<Vec<_>>>()?;
        let mut parts = self.parts(&ids, memories, tied)?;
        let mut ways: Vec<Way> = Vec::new();
        for part in &parts {
            self.choices.begin();
            ways.push(self.way(part));
        }
        let fixed = ways.iter().find_map(Way::threads);
        let threads = fixed.unwrap_or_else(|| self.requested_threads(ways.len()));
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
                Way::FusedAttention(attention) => self.attention_workgroups(part, attention),
                Way::Rows(rows) => self.row_workgroups(part, rows),
                Way::Transposition(transposition) => self.transpose_workgroups(part, *transposition),
            });
        }
        let total = counts.iter().fold(Index::ZERO, |sum, &n| self.code.add(sum, n));
        self.workgroups.push(total);
        let (group, thread) = (self.workgroup_number(total), self.thread());
        let mut first = Index::ZERO;
        for ((part, way), &count) in parts.iter().zip(&ways).zip(&counts) {
            let end = self.code.add(first, count);
            let own = self.code.sub(group, first);
            let body = |this: &mut Self| match way {
                Way::Elements => this.elements(part, own, thread, threads),
                Way::Product(product, tile) => this.product(part, product, *tile, own, thread),
                Way::FusedAttention(attention) => this.attention(part, attention, own, thread),
                Way::Rows(rows) => this.rows(part, rows, own, thread),
                Way::Transposition(transposition) => this.transpose_tile(part, *transposition, own, thread),
            };
            if parts.len() == 1 && count.known().is_some_and(|n| n <= WORKGROUPS_IN_X) {
                self.code_scoped(body)?;
            } else {
                self.within_range(group, first, end, body)?;
            }
            let text = self.explain_way(part, way, count, threads);
            self.remarks.push(text);
            first = end;
        }
        Ok([threads, 1, 1])
    }

    /// How a part is computed.
    fn way(&mut self, part: &Part) -> Way {
        let family = self.choices.word("family", |_| true);
        let wanted = |name: &str| family.as_deref().is_none_or(|family| family == name);
        if let Some(attention) = Some(part).filter(|_| wanted("fused_rows")).and_then(|part| self.attention_of(part)) {
            return Way::FusedAttention(Box::new(attention));
        }
        if let Some(product) = Some(part).filter(|_| wanted("product")).and_then(|part| self.product_of(part)) {
            let sizes = [0, 1].map(|s| self.steps(product.node, &product.sides[s].dims).known());
            let batch = self.steps(product.node, &product.batch).known();
            if family.is_some() || sizes.iter().all(|n| n.is_none_or(|n| n >= self.gpu_model().products.narrowest)) {
                let cores = self.cores(&product).filter(|_| self.choices.flag("tensor_cores", true));
                let materialized =
                    [0, 1].map(|s| cores.is_none_or(|cores| self.streamed(&product, cores, s).is_none()));
                let bytes = cores.map_or(self.factor_type(&product).byte_width() as i64, |cores| cores.bytes());
                let sum = self.steps(product.node, &product.sum).known();
                let (gpu, matrix) = (self.gpu_model(), cores.is_some());
                let tile = self
                    .requested_product(&TileRequest { gpu, matrix, bytes, materialized, sizes, sum, batch }, &product);
                return Way::Product(Box::new(product), tile);
            }
        }
        if let Some(rows) = Some(part).filter(|_| wanted("rows")).and_then(|part| self.rows_of(part)) {
            return Way::Rows(rows);
        }
        let transposition = Some(part).filter(|_| wanted("transposition")).and_then(|part| self.transposition_of(part));
        transposition.map_or(Way::Elements, Way::Transposition)
    }

    /// Runs a body in the workgroups of a range.
    fn within_range(
        &mut self,
        group: Index,
        first: Index,
        end: Index,
        body: impl FnOnce(&mut Self) -> Supported<()>,
    ) -> Supported<()> {
        let (at, first, end) = (self.code.ix(group), self.code.ix(first), self.code.ix(end));
        let (after, before) = (self.code.compare(5, at, first), self.code.compare(2, at, end));
        let inside = self.code.math("arith.andi", &[after, before]);
        self.when(inside, body)
    }

    /// Runs a body where a condition holds.
    fn when(&mut self, condition: Value, body: impl FnOnce(&mut Self) -> Supported<()>) -> Supported<()> {
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
