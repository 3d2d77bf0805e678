//! Panels of operands in shared memory, as tensor cores want them.
//!
//! A panel has lines along which its operand is contiguous in memory, in chunks of 16 bytes. The chunks of a line are
//! permuted (xor with a number made of the line), so that whoever reads the same chunk of several lines meets all banks
//! once: eight lines for `ldmatrix`; four lines of 8 elements where fragments are put together one by one. Copies write
//! whole lines, which permuting leaves without conflicts.
//!
//! Operands that lie in memory as they are come by `cp.async`, which also fills in the zeros behind the end of the sum;
//! others are materialized, 16 bytes at a time.
use super::contraction::Product;
use super::matmul::Work;
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::Supported;
use crate::graph::Memory;
use crate::graph::{Extent, Form, Kind, Tensors};
use crate::machine::tensor_cores::Cores;
use halyard_ir::{AffineKind, Attr, Type, Value};
use std::collections::BTreeMap;

/// The form of a panel.
#[derive(Clone, Copy)]
pub(super) struct OperandPanel {
    pub(super) lines: i64,
    /// The elements of a line.
    pub(super) length: i64,
    /// Whether lines run along the sum.
    pub(super) along: bool,
    /// Whether `ldmatrix` reads it: it turns around 16 bits only.
    pub(super) by_matrices: bool,
}

impl Work<'_> {
    /// The form of an operand's panels.
    pub(super) fn panel(&self, cores: Cores, s: usize) -> OperandPanel {
        let (block, depth, along) = (self.tile.block[s], self.tile.depth, self.product.sides[s].along_sum);
        let (lines, length) = if along { (block, depth) } else { (depth, block) };
        OperandPanel { lines, length, along, by_matrices: along || cores.bytes() == 2 }
    }
}

impl<F: Form> Tensors<'_, F> {
    /// The memory of an operand that can be copied in runs of 16 bytes as it is.
    pub(super) fn streamed(&self, product: &Product, cores: Cores, s: usize) -> Option<Memory<F>> {
        let (side, node, run) = (&product.sides[s], &self.nodes[product.node], cores.run());
        let Kind::Memory(memory) = &self.tensors[side.tensor].kind else { return None };
        if memory.offset.known() != Some(0) {
            return None;
        }
        // The elements between neighbours of each loop.
        let mut steps: BTreeMap<usize, i64> = BTreeMap::new();
        for (expr, stride) in node.maps[side.input].iter().zip(&memory.strides) {
            match expr {
                AffineKind::Dim(d) if node.dims[*d].known() == Some(1) => {}
                AffineKind::Dim(d) => *steps.entry(*d).or_default() += stride.known()?,
                AffineKind::Constant(0) => {}
                _ => return None,
            }
        }
        // The loops that lines run along are one run of memory, or at least each inner one has whole runs.
        let fast = if side.along_sum { &product.sum } else { &side.dims };
        let mut together = 1;
        for d in fast.iter().rev() {
            let step = steps.remove(d)?;
            let plain = step == together;
            (plain || (together % run == 0 && step % run == 0)).then_some(())?;
            together *= node.dims[*d].known()?;
        }
        (together % run == 0 && steps.values().all(|step| step % run == 0)).then(|| memory.clone())
    }
}

impl Emitter<'_> {
    /// The runs of a panel that a thread brings: line and chunk.
    fn runs(&mut self, work: &Work<'_>, cores: Cores, s: usize) -> Vec<(Index, Index)> {
        let panel = work.panel(cores, s);
        let (per_line, threads) = (panel.length / cores.run(), work.tile.slice());
        let chunk = self.code.divide("arith.remui", work.thread, Index::constant(per_line));
        let line = self.code.divide("arith.divui", work.thread, Index::constant(per_line));
        (0..panel.lines * per_line / threads).map(|r| (line.plus(r * (threads / per_line)), chunk)).collect()
    }

    /// The elements before the place of a chunk within a panel.
    pub(super) fn chunk_place(&mut self, cores: Cores, panel: OperandPanel, line: Index, chunk: Index) -> Index {
        let chunks = panel.length / cores.run();
        let key = if panel.by_matrices {
            let by = self.code.divide("arith.divui", line, Index::constant((8 / chunks).max(1)));
            self.code.divide("arith.remui", by, Index::constant(chunks.min(8)))
        } else if cores.bytes() == 4 {
            let by = self.code.divide("arith.remui", line, Index::constant(4));
            self.code.mul(by, Index::constant(2))
        } else {
            let by = self.code.divide("arith.divui", line, Index::constant(4));
            self.code.divide("arith.remui", by, Index::constant(chunks.min(4)))
        };
        let (a, b) = (self.code.ix(chunk), self.code.ix(key));
        let chunk = Index::value(self.code.math("arith.xori", &[a, b]));
        let chunk = self.code.mul(chunk, Index::constant(cores.run()));
        let line = self.code.mul(line, Index::constant(panel.length));
        self.code.add(line, chunk)
    }

    /// Where an element of a panel is, in a stage.
    pub(super) fn panel_place(&mut self, work: &Work<'_>, cores: Cores, s: usize, stage: Index, at: Index) -> Value {
        let panel = work.panel(cores, s);
        let before = self.code.mul(work.slice, Index::constant(work.tile.stages));
        let stage = self.code.add(before, stage);
        let base = self.code.mul(stage, Index::constant(panel.lines * panel.length));
        let at = self.code.add(base, at);
        self.code.gep(work.panels[s].place, at, cores.elem)
    }

    /// Begins to copy a panel into a stage.
    pub(super) fn begin_copies(
        &mut self,
        work: &Work<'_>,
        cores: Cores,
        (s, memory): (usize, &Memory),
        from: Index,
        stage: Index,
    ) -> Supported<()> {
        let context = self.code.at.context();
        let global = Type::parse(context, "!llvm.ptr<1>").expect("a type of LLVM's dialect");
        let (side, panel, run) = (&work.product.sides[s], work.panel(cores, s), cores.run());
        let whole = work.sum.known().is_some_and(|n| n % work.tile.depth == 0);
        for (line, chunk) in self.runs(work, cores, s) {
            let pos = self.code.mul(chunk, Index::constant(run));
            let (own, step) = if panel.along { (line, pos) } else { (pos, line) };
            let at = self.code.add(work.first[s], own);
            // The last run again where there are no more: its results are not stored.
            let size_of = work.sizes[s];
            let divides = size_of.known().is_some_and(|n| n % work.tile.block[s] == 0);
            let room = if panel.along { 1 } else { run };
            let at = if divides { at } else { self.code.min(at, size_of.plus(-room)) };
            let step = self.code.add(from, step);
            // Zeros behind the end. All of a panel ends together if panels divide the sum.
            let bytes = self.bytes_before_end(if whole { from } else { step }, work.sum);
            let at = self.spread(work.product.node, &side.dims, at);
            let step = self.spread(work.product.node, &work.product.sum, step);
            let domain = self.loops_at(work, &[&at, &step]);
            let maps = self.nodes[work.product.node].maps[side.input].clone();
            let idx = maps.iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
            let offset = self.code.offset(memory, &idx);
            let source = self.code.address(memory, offset.ix);
            let source = self.code.at.value("llvm.addrspacecast", &[source], global, &[]);
            let place = self.chunk_place(cores, panel, line, chunk);
            let target = self.panel_place(work, cores, s, stage, place);
            cores.instructions.begin_copy(&self.code, target, source, bytes);
        }
        Ok(())
    }

    /// 16, or 0 from the end of the sum on; `None` if it is 16 in any case.
    fn bytes_before_end(&mut self, step: Index, sum: Index) -> Option<Value> {
        if let (Some(step), Some(sum)) = (step.known(), sum.known())
            && step < sum
        {
            return None;
        }
        let (a, b) = (self.code.ix(step), self.code.ix(sum));
        let inside = self.code.compare(2, a, b);
        let i32 = self.code.int(32);
        let [all, none] = [16, 0].map(|n| self.code.constant(Attr::integer(i32, n)));
        Some(self.code.select(inside, all, none))
    }

    /// What a thread brings of a panel from a step of the sum on, as vectors of 16 bytes.
    pub(super) fn materialize_panel(
        &mut self,
        work: &Work<'_>,
        cores: Cores,
        s: usize,
        from: Index,
    ) -> Supported<Vec<Value>> {
        let (along, run) = (work.product.sides[s].along_sum, cores.run());
        // Where panels divide the sum, those behind its end are the first one again: nobody multiplies them. Else they are zeros.
        let together = work.tile.depth * work.tile.slices;
        let from = match (from.known(), work.sum.known()) {
            (Some(from), Some(sum)) if sum > 0 && sum % together == 0 => {
                Index::constant(if from < sum { from } else { 0 })
            }
            (_, Some(sum)) if sum % together == 0 => {
                let (a, b, zero) = (self.code.ix(from), self.code.ix(work.sum), self.code.index_constant(0));
                let more = self.code.compare(2, a, b);
                Index::value(self.code.select(more, a, zero))
            }
            _ => from,
        };
        let vector = Type::vector(run, cores.elem);
        let mut values = Vec::new();
        for (line, chunk) in self.runs(work, cores, s) {
            let pos = self.code.mul(chunk, Index::constant(run));
            let mut all = self.code.at.value("llvm.mlir.poison", &[], vector, &[]);
            for e in 0..run {
                let (own, step) = if along { (line, pos.plus(e)) } else { (pos.plus(e), line) };
                let value = self.fetch_one(work, s, (own, step), from, false)?;
                let at = Attr::integer(self.code.int(32), e);
                let at = self.code.entry().value("llvm.mlir.constant", &[], self.code.int(32), &[("value", at)]);
                all = self.code.at.value("llvm.insertelement", &[all, value, at], vector, &[]);
            }
            values.push(all);
        }
        Ok(values)
    }

    /// Puts what was materialized into a stage.
    pub(super) fn keep_materialized(
        &mut self,
        work: &Work<'_>,
        cores: Cores,
        stage: Index,
        materialized: [Vec<Value>; 2],
    ) {
        let alignment = Attr::integer(self.code.int(64), 16);
        for (s, values) in materialized.into_iter().enumerate().filter(|(_, v)| !v.is_empty()) {
            let panel = work.panel(cores, s);
            for ((line, chunk), value) in self.runs(work, cores, s).into_iter().zip(values) {
                let place = self.chunk_place(cores, panel, line, chunk);
                let target = self.panel_place(work, cores, s, stage, place);
                self.code.at.op("llvm.store", &[value, target], &[], &[("alignment", alignment)]);
            }
        }
    }
}
