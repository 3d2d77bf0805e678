//! Kernels for GPUs: threads that compute their elements.
//!
//! The graph and everything that computes an element of it is that of CPUs, with one lane. What differs is who
//! computes what: the results of an export are [`parts`], each a tensor to be stored over its own workgroups; the
//! numbers of threads and workgroups come from [`threads`]. [`elements`] takes every part: one thread per element.
//! Where elements share work, whole workgroups do it: [`matmul`] for products of matrices ([`contraction`] finds
//! them), [`rows`] for sums and what is divided by them, [`fused_attention`] for sums of sums, [`transpose`] for what lies
//! the other way round.

mod argminmax;
mod choose;
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
mod part;
mod part_plan;
mod parts;
mod range_reduction;
mod rows;
mod space;
mod threads;
mod tile;
mod tiles;
mod transpose;
mod warp_reduce;

use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use crate::machine::gpu::WORKGROUPS_IN_X;
use choose::PartForm;
pub(crate) use choose::ThreadsPlan;
pub use forms::EXACT;
use halyard_ir::Value;

impl Emitter<'_> {
    /// Computes the results into their memory by the threads of workgroups.
    pub(crate) fn gpu(&mut self, plan: &ThreadsPlan, memories: &[Memory]) -> Supported<()> {
        let (parts, threads) = (self.parts(plan, memories)?, plan.threads);
        let forms = || plan.parts.iter().map(|part| &part.form);
        let mut counts = Vec::new();
        for (part, form) in parts.iter().zip(forms()) {
            counts.push(match form {
                PartForm::Elements => self.element_workgroups(part, threads),
                PartForm::Product(product, tile) => self.product_workgroups(product, *tile),
                PartForm::FusedAttention(attention) => self.attention_workgroups(part, attention),
                PartForm::Rows(rows) => self.row_workgroups(part, rows),
                PartForm::Transposition(transposition) => self.transpose_workgroups(part, *transposition),
            });
        }
        let total = counts.iter().fold(Index::ZERO, |sum, &n| self.code.add(sum, n));
        self.workgroups.push(total);
        let (group, thread) = (self.workgroup_number(total), self.thread());
        let mut first = Index::ZERO;
        for ((part, form), &count) in parts.iter().zip(forms()).zip(&counts) {
            let end = self.code.add(first, count);
            let own = self.code.sub(group, first);
            let body = |this: &mut Self| match form {
                PartForm::Elements => this.elements(part, own, thread, threads),
                PartForm::Product(product, tile) => this.product(part, product, *tile, own, thread),
                PartForm::FusedAttention(attention) => this.attention(part, attention, own, thread),
                PartForm::Rows(rows) => this.rows(part, rows, own, thread),
                PartForm::Transposition(transposition) => this.transpose_tile(part, *transposition, own, thread),
            };
            if parts.len() == 1 && count.known().is_some_and(|n| n <= WORKGROUPS_IN_X) {
                self.code_scoped(body)?;
            } else {
                self.within_range(group, first, end, body)?;
            }
            let text = self.explain_form(part, form, count, threads);
            self.remarks.push(text);
            first = end;
        }
        Ok(())
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
