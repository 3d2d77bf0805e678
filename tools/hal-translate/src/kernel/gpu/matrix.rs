//! Products of matrices on tensor cores (CUDA, sm_80 and later): `f16` and `bf16`, added up in `f32`.
//!
//! A warp has a tile of fragments of 16 x 8, each an `mma.sync` of depth 16; `ldmatrix` takes the fragments from
//! shared memory, where strips stand as they do in memory, with rows 16 bytes apart from a power of two, so that no
//! banks meet. Operands that lie in memory as they are come by `cp.async`, some strips ahead; others are pulled in
//! runs of eight, one strip ahead in registers.
use super::contraction::{Product, Side};
use super::product::Work;
use super::tiles::Tile;
use crate::kernel::Emitter;
use crate::kernel::code::{Coder, Emitted};
use crate::kernel::graph::Kind;
use crate::kernel::ix::Ix;
use crate::kernel::machine::Machine;
use crate::kernel::memory::Memory;
use halyard_ir::{AffineKind, Attr, Type, Value};

/// Elements of 16 bytes.
const RUN: i64 = 8;
/// The depth of a fragment.
const STEP: i64 = 16;
/// Strips in shared memory where they come by `cp.async`, at most.
const STAGES: i64 = 4;
/// The shared memory that every kernel can have, in bytes.
const SHARED: i64 = 48 << 10;

impl Emitter<'_> {
    /// The short floats that a product multiplies, if tensor cores can.
    pub(super) fn matrix_type(&self, product: &Product) -> Option<Type> {
        let Machine::Cuda { capability } = self.code.machine else { return None };
        let elems = [0, 1].map(|s| self.tensors[product.sides[s].tensor].elem);
        let plain = |side: &Side| side.casts.iter().all(|c| c.is("arith.extf")) && side.casts.len() <= 1;
        let total = product.total;
        let sums = total.is_float() && (total.bits() == 32 || total == elems[0]);
        let name = elems[0].to_string();
        (capability >= 80
            && elems[0] == elems[1]
            && matches!(name.as_str(), "f16" | "bf16")
            && sums
            && product.sides.iter().all(plain))
        .then_some(elems[0])
    }

    /// Lines and length of a line, with what keeps banks apart, of a strip in shared memory.
    pub(super) fn strip_shape(&self, tile: Tile, product: &Product, s: usize) -> (i64, i64) {
        let (block, depth) = (tile.block[s], tile.depth);
        if product.sides[s].along_sum { (block, depth + RUN) } else { (depth, block + RUN) }
    }

    /// How many strips of each operand are in shared memory.
    pub(super) fn stages(&self, tile: Tile, product: &Product) -> i64 {
        if (0..2).any(|s| self.streamed(product, s, tile.depth).is_none()) {
            return 2;
        }
        let shape = |s: usize| self.strip_shape(tile, product, s);
        let bytes: i64 = [0, 1].map(|s| 2 * shape(s).0 * shape(s).1).iter().sum();
        (SHARED / bytes).clamp(2, STAGES)
    }

    /// The memory of an operand that can be copied in runs of 16 bytes as it is.
    fn streamed(&self, product: &Product, s: usize, depth: i64) -> Option<Memory> {
        let (side, node) = (&product.sides[s], &self.nodes[product.node]);
        let Kind::Memory(memory) = &self.tensors[side.tensor].kind else { return None };
        let (&[sum], &[own]) = (product.sum.as_slice(), side.dims.as_slice()) else { return None };
        let fast = if side.along_sum { sum } else { own };
        node.dims[sum].known().filter(|n| n % depth == 0)?;
        node.dims[own].known().filter(|n| side.along_sum || n % RUN == 0)?;
        if memory.offset != Ix::ZERO {
            return None;
        }
        for (expr, stride) in node.maps[side.input].iter().zip(&memory.strides) {
            let stride = stride.known()?;
            match expr {
                AffineKind::Dim(d) if *d == fast => (stride == 1).then_some(())?,
                AffineKind::Dim(d) if node.dims[*d].known() == Some(1) => {}
                AffineKind::Dim(_) => (stride % RUN == 0).then_some(())?,
                AffineKind::Constant(0) => {}
                _ => return None,
            }
        }
        Some(memory.clone())
    }

    /// The rows (0) or columns (1) of a thread within the block, as fragments have them.
    pub(super) fn fragment_places(&mut self, tile: Tile, thread: Ix, s: usize) -> Vec<Ix> {
        let warp = self.warp_place(tile, thread, s);
        let lane = self.code.divide("arith.remui", thread, Ix::constant(32));
        let quad = if s == 0 {
            self.code.divide("arith.divui", lane, Ix::constant(4))
        } else {
            let pair = self.code.divide("arith.remui", lane, Ix::constant(4));
            self.code.mul(pair, Ix::constant(2))
        };
        let base = self.code.add(warp, quad);
        (0..tile.thread[s]).map(|i| if s == 0 { base.plus(8 * i) } else { base.plus(i / 2 * 8 + i % 2) }).collect()
    }

    /// Where the tile of a warp begins within the block.
    fn warp_place(&mut self, tile: Tile, thread: Ix, s: usize) -> Ix {
        let warp = self.code.divide("arith.divui", thread, Ix::constant(32));
        let across = Ix::constant(tile.block[1] / (tile.thread[1] * 4));
        let at = self.code.divide(if s == 0 { "arith.divui" } else { "arith.remui" }, warp, across);
        self.code.mul(at, Ix::constant(tile.thread[s] * if s == 0 { 8 } else { 4 }))
    }

    /// The loop over strips.
    pub(super) fn add_up_fragments(&mut self, work: &Work<'_>, totals: Vec<Value>) -> Emitted<Vec<Value>> {
        let depth = work.tile.depth;
        let memories = [0, 1].map(|s| self.streamed(work.product, s, depth));
        match memories {
            [Some(a), Some(b)] => self.streamed_strips(work, &[a, b], totals),
            _ => self.pulled_strips(work, totals),
        }
    }

    /// Strips that come by `cp.async`, some ahead.
    fn streamed_strips(&mut self, work: &Work<'_>, memories: &[Memory; 2], totals: Vec<Value>) -> Emitted<Vec<Value>> {
        let (count, depth) = (totals.len(), work.tile.depth);
        let stages = self.stages(work.tile, work.product);
        for stage in 0..stages - 1 {
            let from = self.wrapped(work, Ix::constant(stage * depth));
            self.begin_copies(work, memories, from, Ix::constant(stage))?;
        }
        let zero = self.code.index_constant(0);
        let carried: Vec<Value> = totals.into_iter().chain([zero]).collect();
        let after = self.for_loop((Ix::ZERO, work.sum, Ix::constant(depth)), &carried, |this, from, carried| {
            let stage = Ix::value(carried[count]);
            // All but the youngest are there; and nobody reads what is written next.
            this.wait_for_copies(stages - 2);
            this.barrier();
            let next = this.wrapped(work, from.plus((stages - 1) * depth));
            let last = stage.plus(stages - 1);
            let write = this.code.divide("arith.remui", last, Ix::constant(stages));
            this.begin_copies(work, memories, next, write)?;
            let mut yielded = this.multiply_fragments(work, stage, &carried[..count])?;
            let after = this.code.divide("arith.remui", stage.plus(1), Ix::constant(stages));
            yielded.push(this.code.ix(after));
            Ok(yielded)
        })?;
        // Nothing may be on its way into shared memory when the block ends.
        self.wait_for_copies(0);
        Ok(after[..count].to_vec())
    }

    /// A step of the sum, or the first one beyond its end: what is loaded there is not used.
    fn wrapped(&mut self, work: &Work<'_>, from: Ix) -> Ix {
        if let (Some(from), Some(sum)) = (from.known(), work.sum.known()) {
            return Ix::constant(if from < sum { from } else { 0 });
        }
        let (a, b, zero) = (self.code.ix(from), self.code.ix(work.sum), self.code.index_constant(0));
        let more = self.code.compare(2, a, b);
        Ix::value(self.code.select(more, a, zero))
    }

    fn wait_for_copies(&mut self, left: i64) {
        let left = Attr::integer(self.code.int(32), left);
        self.code.at.op("nvvm.cp.async.wait.group", &[], &[], &[("n", left)]);
    }

    fn begin_copies(&mut self, work: &Work<'_>, memories: &[Memory; 2], from: Ix, stage: Ix) -> Emitted<()> {
        let context = self.code.at.context();
        let modifier = Attr::parse(context, "#nvvm<load_cache_modifier cg>").expect("a modifier of loads");
        let size = Attr::integer(self.code.int(32), 2 * RUN);
        let global = Type::parse(context, "!llvm.ptr<1>").expect("a type of LLVM's dialect");
        for (s, memory) in memories.iter().enumerate() {
            let side = &work.product.sides[s];
            for (line, pos) in self.runs(work, s) {
                let (own, step) = if side.along_sum { (line, pos) } else { (pos, line) };
                let at = self.code.add(work.first[s], own);
                // The last run again where there are no more: its results are not stored.
                let size_of = work.sizes[s];
                let divides = size_of.known().is_some_and(|n| n % work.tile.block[s] == 0);
                let room = if side.along_sum { 1 } else { RUN };
                let at = if divides { at } else { self.code.min(at, size_of.plus(-room)) };
                let step = self.code.add(from, step);
                let at = self.spread(work.product.node, &side.dims, at);
                let step = self.spread(work.product.node, &work.product.sum, step);
                let domain = self.loops_at(work, &[&at, &step]);
                let maps = self.nodes[work.product.node].maps[side.input].clone();
                let idx = maps.iter().map(|e| self.affine(e, &domain.idx)).collect::<Emitted<Vec<_>>>()?;
                let offset = self.code.offset(memory, &idx);
                let source = self.code.address(memory, offset.ix);
                let source = self.code.at.value("llvm.addrspacecast", &[source], global, &[]);
                let target = self.strip_place(work, s, stage, line, pos);
                let attrs = [("size", size), ("modifier", modifier)];
                self.code.at.op("nvvm.cp.async.shared.global", &[target, source], &[], &attrs);
            }
        }
        self.code.at.op("nvvm.cp.async.commit.group", &[], &[], &[]);
        Ok(())
    }

    /// The runs of a strip that a thread brings: line and position.
    fn runs(&mut self, work: &Work<'_>, s: usize) -> Vec<(Ix, Ix)> {
        let (lines, length) = self.strip_shape(work.tile, work.product, s);
        let (per_line, threads) = ((length - RUN) / RUN, work.tile.threads());
        let fast = self.code.divide("arith.remui", work.thread, Ix::constant(per_line));
        let pos = self.code.mul(fast, Ix::constant(RUN));
        let line = self.code.divide("arith.divui", work.thread, Ix::constant(per_line));
        (0..lines * per_line / threads).map(|r| (line.plus(r * (threads / per_line)), pos)).collect()
    }

    /// The address of an element of a strip.
    fn strip_place(&mut self, work: &Work<'_>, s: usize, stage: Ix, line: Ix, pos: Ix) -> Value {
        let at = self.strip_offset(work, s, stage, line, pos);
        self.code.gep(work.strips[s].place, at, work.strips[s].elem)
    }

    fn strip_offset(&mut self, work: &Work<'_>, s: usize, stage: Ix, line: Ix, pos: Ix) -> Ix {
        let (lines, length) = self.strip_shape(work.tile, work.product, s);
        let base = self.code.mul(stage, Ix::constant(lines * length));
        let at = self.code.mul(line, Ix::constant(length));
        let at = self.code.add(at, pos);
        self.code.add(base, at)
    }

    /// Strips that are pulled, one ahead.
    fn pulled_strips(&mut self, work: &Work<'_>, totals: Vec<Value>) -> Emitted<Vec<Value>> {
        let (count, depth) = (totals.len(), work.tile.depth);
        let (rows, columns) = (self.pull_strip(work, 0, Ix::ZERO)?, self.pull_strip(work, 1, Ix::ZERO)?);
        let split = count + rows.len();
        let zero = self.code.index_constant(0);
        let carried: Vec<Value> = totals.into_iter().chain(rows).chain(columns).chain([zero]).collect();
        let after = self.for_loop((Ix::ZERO, work.sum, Ix::constant(depth)), &carried, |this, from, carried| {
            let which = Ix::value(carried[carried.len() - 1]);
            for (s, values) in [&carried[count..split], &carried[split..carried.len() - 1]].into_iter().enumerate() {
                let runs = this.runs(work, s);
                for (&(line, pos), values) in runs.iter().zip(values.chunks(RUN as usize)) {
                    let at = this.strip_offset(work, s, which, line, pos);
                    for (e, &value) in values.iter().enumerate() {
                        this.code.write(work.strips[s].place, at.plus(e as i64), value);
                    }
                }
            }
            this.barrier();
            let next = this.wrapped(work, from.plus(depth));
            let mut fetched = this.pull_strip(work, 0, next)?;
            fetched.extend(this.pull_strip(work, 1, next)?);
            let mut yielded = this.multiply_fragments(work, which, &carried[..count])?;
            yielded.extend(fetched);
            let other = this.code.sub(Ix::constant(1), which);
            yielded.push(this.code.ix(other));
            Ok(yielded)
        })?;
        Ok(after[..count].to_vec())
    }

    /// What a thread brings of a strip from step `from` of the sum on.
    fn pull_strip(&mut self, work: &Work<'_>, s: usize, from: Ix) -> Emitted<Vec<Value>> {
        let along = work.product.sides[s].along_sum;
        let mut values = Vec::new();
        for (line, pos) in self.runs(work, s) {
            for e in 0..RUN {
                let (own, step) = if along { (line, pos.plus(e)) } else { (pos.plus(e), line) };
                values.push(self.fetch_one(work, s, (own, step), from, false)?);
            }
        }
        Ok(values)
    }

    /// Adds the products of a strip to the totals.
    fn multiply_fragments(&mut self, work: &Work<'_>, stage: Ix, totals: &[Value]) -> Emitted<Vec<Value>> {
        let mut totals = totals.to_vec();
        let (tile, columns) = (work.tile, work.tile.thread[1] as usize);
        let warp = [0, 1].map(|s| self.warp_place(tile, work.thread, s));
        let lane = self.code.divide("arith.remui", work.thread, Ix::constant(32));
        let row = self.code.divide("arith.remui", lane, Ix::constant(8));
        let [second, fourth] = [8, 16].map(|by| {
            let bit = self.code.divide("arith.divui", lane, Ix::constant(by));
            let bit = self.code.divide("arith.remui", bit, Ix::constant(2));
            self.code.mul(bit, Ix::constant(8))
        });
        for step in (0..tile.depth).step_by(STEP as usize) {
            let [a, b] = [0, 1].map(|s| {
                // Of four matrices, the second differs in rows and the third in depth; for the columns it is the other way.
                let (across, deep) = if s == 0 { (second, fourth) } else { (fourth, second) };
                let blocks = tile.thread[s] * if s == 0 { 8 } else { 4 } / 16;
                (0..blocks)
                    .map(|i| {
                        let own = self.code.add(warp[s], across).plus(16 * i);
                        let deep = deep.plus(step);
                        let along = work.product.sides[s].along_sum;
                        let (line, pos) =
                            if along { (self.code.add(own, row), deep) } else { (self.code.add(deep, row), own) };
                        let place = self.strip_place(work, s, stage, line, pos);
                        self.load_fragments(place, !along, work.strips[s].elem)
                    })
                    .collect::<Vec<_>>()
            });
            for (i, a) in a.iter().enumerate() {
                for (j, b) in b.iter().flat_map(|b| [[b[0], b[1]], [b[2], b[3]]]).enumerate() {
                    let places = [0, 1, columns, columns + 1].map(|at| 2 * i * columns + 2 * j + at);
                    let sums = places.map(|at| totals[at]);
                    let sums = self.multiply_fragment(a, &b, &sums, work.strips[0].elem);
                    for (at, sum) in places.into_iter().zip(sums) {
                        totals[at] = sum;
                    }
                }
            }
        }
        Ok(totals)
    }

    /// Four matrices of 8 x 8 as registers.
    fn load_fragments(&mut self, place: Value, turned: bool, elem: Type) -> [Value; 4] {
        let context = self.code.at.context();
        let attr = |text: &str| Attr::parse(context, text).expect("an attribute of NVVM");
        let attrs = [
            ("num", Attr::integer(self.code.int(32), 4)),
            ("layout", attr(if turned { "#nvvm.mma_layout<col>" } else { "#nvvm.mma_layout<row>" })),
            ("shape", attr("#nvvm.ld_st_matrix_shape<m = 8, n = 8>")),
            ("eltType", attr("#nvvm.ld_st_matrix_elt_type<b16>")),
        ];
        let four = Type::parse(context, "!llvm.struct<(i32, i32, i32, i32)>").expect("a type of LLVM's dialect");
        let all = self.code.at.value("nvvm.ldmatrix", &[place], four, &attrs);
        let i32 = self.code.int(32);
        [0, 1, 2, 3].map(|n| {
            let part = self.part(all, n, i32);
            // Pairs of `bf16` stay in words.
            if elem.to_string() == "f16" {
                let pair = Type::vector(2, elem);
                self.code.at.value("llvm.bitcast", &[part], pair, &[])
            } else {
                part
            }
        })
    }

    fn part(&mut self, all: Value, n: i64, ty: Type) -> Value {
        let position = Attr::i64s(self.code.at.context(), &[n]);
        self.code.at.value("llvm.extractvalue", &[all], ty, &[("position", position)])
    }

    /// `mma.sync.m16n8k16`.
    fn multiply_fragment(&mut self, a: &[Value; 4], b: &[Value; 2], sums: &[Value; 4], elem: Type) -> [Value; 4] {
        let context = self.code.at.context();
        let attr = |text: &str| Attr::parse(context, text).expect("an attribute of NVVM");
        let kind = attr(&format!("#nvvm.mma_type<{elem}>"));
        let attrs = [
            ("layoutA", attr("#nvvm.mma_layout<row>")),
            ("layoutB", attr("#nvvm.mma_layout<col>")),
            ("multiplicandAPtxType", kind),
            ("multiplicandBPtxType", kind),
            ("operandSegmentSizes", attr("array<i32: 4, 2, 4>")),
            ("shape", attr("#nvvm.shape<m = 16, n = 8, k = 16>")),
        ];
        let operands: Vec<Value> = a.iter().chain(b).chain(sums).copied().collect();
        let four = Type::parse(context, "!llvm.struct<(f32, f32, f32, f32)>").expect("a type of LLVM's dialect");
        let all = self.code.at.value("nvvm.mma.sync", &operands, four, &attrs);
        let f32 = Type::f32(context);
        [0, 1, 2, 3].map(|n| self.part(all, n, f32))
    }
}
