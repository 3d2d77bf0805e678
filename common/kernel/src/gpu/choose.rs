//! How the threads of a GPU share the work: what is computed together, how, and by how many threads.
//!
//! All workgroups run side by side, in no order. So a result in place, which stands in the memory of an operand, is
//! right only if nobody reads an element that another thread writes: each element of the operand is read by the
//! thread that writes it, before it does. Everything else is refused.
mod elements;
mod rows;
mod tensor_cores;
mod transpose;

use super::contraction::Product;
use super::fused_attention::FusedAttention;
use super::part_plan::PartPlan;
use super::tile::{Tile, TileRequest};
use crate::analysis::access::{NEST, Sym};
use crate::analysis::layout::Layout;
use crate::graph::Memory;
use crate::graph::{Definition, Graph, Kind, Symbolic, Unsupported};
use crate::machine::gpu::GpuModel;
use crate::schedule::planner::Planner;
use crate::schedule::stores::{Arithmetic, each_stored};
pub(super) use rows::Rows;
use std::collections::BTreeSet;
pub(super) use transpose::Transposition;

/// How a part is computed.
pub(crate) struct PlannedPart {
    /// Which of the tensors that are stored it computes, by their order.
    pub(super) stored: Vec<usize>,
    pub(super) form: PartForm,
    /// The neighbours that a thread computes together, where each has elements of its own.
    pub(super) run: i64,
    /// Whether sums that other sums are made of are computed for each element.
    pub(super) inner_sums: bool,
}

/// A kernel of threads.
pub(crate) struct ThreadsPlan {
    /// What they compute: the graph with neighbouring reductions merged.
    pub(crate) graph: Graph,
    /// The tensors that are stored, in order.
    pub(super) stored: Vec<usize>,
    /// What the workgroups compute, one after the other.
    pub(super) parts: Vec<PlannedPart>,
    /// The threads of a workgroup.
    pub(crate) threads: i64,
}

/// How a part is computed.
pub(super) enum PartForm {
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

impl PartForm {
    /// The threads of a workgroup, if it matters.
    pub(super) fn threads(&self) -> Option<i64> {
        match self {
            PartForm::Elements => None,
            PartForm::Product(_, tile) => Some(tile.threads()),
            PartForm::FusedAttention(attention) => Some(attention.threads()),
            PartForm::Rows(rows) => Some(rows.threads()),
            PartForm::Transposition(transposition) => Some(transposition.threads()),
        }
    }
}

impl<'g> Planner<'g> {
    /// What the GPU has that the kernel is for. Only kernels for GPUs ask.
    pub(super) fn gpu_model(&self) -> &'g GpuModel {
        self.target.gpu.as_ref().expect("kernels of threads are for GPUs")
    }

    /// Chooses how threads compute the results. Errors: a result in place that others read.
    pub(crate) fn threads(&mut self) -> Result<ThreadsPlan, Unsupported> {
        let graph = self.graph;
        let mut arithmetic = Arithmetic::of(graph);
        let mut stored = Vec::new();
        for (&value, memory) in graph.returned.iter().zip(&graph.results) {
            each_stored(graph, graph.id(value)?, memory.clone(), &mut arithmetic, &mut stored);
        }
        stored.retain(|(_, memory)| !memory.dims.iter().any(|d| d.known() == Some(0)));
        for (memory, tied) in graph.results.iter().zip(&graph.signature.tied) {
            if tied.is_some() {
                self.check_in_place(memory, &stored)?;
            }
        }
        let mut parts: Vec<(PartPlan, Vec<usize>)> = Vec::new();
        for (at, (id, memory)) in stored.iter().enumerate() {
            let root = (*id, Layout::from(memory));
            match parts.iter_mut().find(|(part, _)| part.dims == memory.dims) {
                Some((part, stored)) => {
                    part.roots.push(root);
                    stored.push(at);
                }
                None => parts.push((PartPlan { dims: memory.dims.clone(), roots: vec![root] }, vec![at])),
            }
        }
        let mut forms: Vec<PartForm> = Vec::new();
        for (part, _) in &parts {
            self.choices.begin();
            forms.push(self.choose_form(part));
        }
        let fixed = forms.iter().find_map(PartForm::threads);
        let threads = fixed.unwrap_or_else(|| self.requested_threads(forms.len()));
        for form in forms.iter_mut().filter(|w| w.threads().is_some_and(|n| n != threads)) {
            *form = PartForm::Elements;
        }
        let mut planned = Vec::new();
        for (nest, ((part, stored), form)) in parts.into_iter().zip(forms).enumerate() {
            self.choices.reopen(Some(nest));
            let run = self.record_form(&part, &form, threads, fixed.is_some());
            let inner_sums = self.sums_in_sums(&part).is_some();
            planned.push(PlannedPart { stored, form, run, inner_sums });
        }
        self.choices.reopen(None);
        let stored = stored.into_iter().map(|(id, _)| id).collect();
        Ok(ThreadsPlan { graph: graph.clone(), stored, parts: planned, threads })
    }

    /// Chooses how a part is computed.
    fn choose_form(&mut self, part: &PartPlan) -> PartForm {
        let family = self.choices.word("family", |_| true);
        let wanted = |name: &str| family.as_deref().is_none_or(|family| family == name);
        if let Some(attention) = Some(part).filter(|_| wanted("fused_rows")).and_then(|part| self.attention_of(part)) {
            return PartForm::FusedAttention(Box::new(attention));
        }
        if let Some(product) = Some(part).filter(|_| wanted("product")).and_then(|part| self.product_of(part)) {
            let sizes = [0, 1].map(|s| self.known_steps(product.node, &product.sides[s].dims));
            let batch = self.known_steps(product.node, &product.batch);
            if family.is_some() || sizes.iter().all(|n| n.is_none_or(|n| n >= self.gpu_model().products.narrowest)) {
                let cores = self.cores(&product).filter(|_| self.choices.flag("tensor_cores", true));
                let materialized =
                    [0, 1].map(|s| cores.is_none_or(|cores| self.graph.view().streamed(&product, cores, s).is_none()));
                let bytes = cores.map_or(product.factor_bytes(), |cores| cores.bytes());
                let sum = self.known_steps(product.node, &product.sum);
                let (gpu, matrix) = (self.gpu_model(), cores.is_some());
                let tile = self
                    .requested_product(&TileRequest { gpu, matrix, bytes, materialized, sizes, sum, batch }, &product);
                return PartForm::Product(Box::new(product), tile);
            }
        }
        if let Some(rows) = Some(part).filter(|_| wanted("rows")).and_then(|part| self.rows_of(part)) {
            return PartForm::Rows(rows);
        }
        let transposition = Some(part).filter(|_| wanted("transposition")).and_then(|part| self.transposition_of(part));
        transposition.map_or(PartForm::Elements, PartForm::Transposition)
    }

    /// Whether a result in place is only read where and when it is written.
    fn check_in_place(
        &self,
        memory: &Memory<Symbolic>,
        roots: &[(usize, Memory<Symbolic>)],
    ) -> Result<(), Unsupported> {
        let reads = |tensor: usize| {
            let idx = vec![Sym::default(); self.graph.tensors[tensor].dims.len()];
            let uses = self.graph.uses(tensor, idx, &BTreeSet::new());
            uses.iter().any(|u| matches!(&self.graph.tensors[u.id].kind, Kind::Memory(m) if m.ptr == memory.ptr))
        };
        if self.graph.scalars.iter().any(|s| matches!(s, Definition::Element(tensor, _) if reads(*tensor))) {
            // A scalar of the function, which every thread reads when it starts.
            return Err("a result in place of an operand of which a scalar is read".into());
        }
        let Some(writer) = roots.iter().find(|r| r.1.ptr == memory.ptr) else { return Ok(()) };
        for root in roots {
            let idx: Vec<Sym> = (0..root.1.dims.len()).map(|d| Sym::var((NEST, d))).collect();
            for u in self.graph.uses(root.0, idx.clone(), &BTreeSet::new()) {
                let Kind::Memory(read) = &self.graph.tensors[u.id].kind else { continue };
                if read.ptr != memory.ptr {
                    continue;
                }
                // The same element: through the same indices, from the same thread.
                let same = u.idx == idx
                    && u.inside.is_empty()
                    && root.1.dims == writer.1.dims
                    && (read.strides == writer.1.strides && read.offset == writer.1.offset);
                if !same {
                    return Err("a result in place of an operand of which other elements are read".into());
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
