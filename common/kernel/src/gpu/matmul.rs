//! Products of matrices in tiles: a workgroup brings a panel of each operand into shared memory, each thread adds
//! up a small tile of the result in registers.
//!
//! Operands are materialized, so that whatever makes them (paddings, windows, elementwise work) is done on the way into
//! shared memory; what is done to the result is materialized for each element where it stands in a register. While a
//! panel is worked on, the next one is on its way in registers; there are two panels in shared memory, so that one
//! barrier per panel does. Where there would be few workgroups, several groups of threads share the sum of a tile: each
//! has panels of its own, and in the end one adds up what all have.
use super::contraction::{Product, Side};
use super::matrix::Cores;
use super::parts::Part;
use super::tiles::Tile;
use crate::Emitter;
use crate::index::{Index, LaneIndex, Point};
use crate::ir_builder::{Coder, Supported};
use crate::machine::Backend;
use halyard_ir::{Type, Value};

/// What a workgroup is about: how many rows, columns and steps there are, and where it begins.
pub(super) struct Work<'p> {
    pub(super) part: &'p Part,
    pub(super) product: &'p Product,
    pub(super) tile: Tile,
    /// The number within the slice.
    pub(super) thread: Index,
    /// Which share of the sum it is.
    pub(super) slice: Index,
    /// Rows and columns.
    pub(super) sizes: [Index; 2],
    /// Steps of the sum.
    pub(super) sum: Index,
    /// The first row and column.
    pub(super) first: [Index; 2],
    /// The indices of the loops that are batches.
    pub(super) batch: Vec<(usize, LaneIndex)>,
    /// Panels of both operands.
    pub(super) panels: [OperandPanel; 2],
    /// The rows and columns of the thread within the block.
    pub(super) own: [Vec<Index>; 2],
}

/// Panels of an operand in shared memory, those of each slice `depth` rows of `row` elements.
#[derive(Clone, Copy)]
pub(super) struct OperandPanel {
    pub(super) place: Value,
    pub(super) row: i64,
    pub(super) elem: Type,
}

impl Emitter<'_> {
    /// How many workgroups a product takes.
    pub(super) fn product_workgroups(&mut self, product: &Product, tile: Tile) -> Index {
        let [rows, columns] = self.tiles_of(product, tile);
        let batch = self.steps(product.node, &product.batch);
        let each = self.code.mul(rows, columns);
        self.code.mul(each, batch)
    }

    fn tiles_of(&mut self, product: &Product, tile: Tile) -> [Index; 2] {
        [0, 1].map(|s| {
            let n = self.steps(product.node, &product.sides[s].dims);
            self.code.divide("arith.divui", n.plus(tile.block[s] - 1), Index::constant(tile.block[s]))
        })
    }

    /// Computes the tile of a workgroup.
    pub(super) fn product(
        &mut self,
        part: &Part,
        product: &Product,
        tile: Tile,
        group: Index,
        thread: Index,
    ) -> Supported<()> {
        let [tile_rows, tile_columns] = self.tiles_of(product, tile);
        let column = self.code.divide("arith.remui", group, tile_columns);
        let rest = self.code.divide("arith.divui", group, tile_columns);
        let row = self.code.divide("arith.remui", rest, tile_rows);
        let batch = self.code.divide("arith.divui", rest, tile_rows);
        let sizes = [0, 1].map(|s| self.steps(product.node, &product.sides[s].dims));
        let batch = self.spread(product.node, &product.batch, batch);
        let mut first = [row, column];
        for (s, first) in first.iter_mut().enumerate() {
            *first = self.code.mul(*first, Index::constant(tile.block[s]));
        }
        let cores = self.cores(product).filter(|_| tile.matrix);
        let (slice, thread) = if tile.slices == 1 {
            (Index::ZERO, thread)
        } else {
            let of = Index::constant(tile.slice());
            (self.code.divide("arith.divui", thread, of), self.code.divide("arith.remui", thread, of))
        };
        let panels = self.panels_of(product, tile, cores);
        let sum = self.steps(product.node, &product.sum);
        let own = [0, 1].map(|s| match cores {
            Some(_) => self.fragment_places(tile, thread, s),
            None => (0..tile.thread[s]).map(|i| self.own(tile, thread, s, i)).collect(),
        });
        let work = Work { part, product, tile, thread, slice, sizes, sum, first, batch, panels, own };
        if tile.slices > 1 {
            return self.sliced(&work);
        }
        let totals = self.initial_totals(&work)?;
        let totals = match cores {
            _ if sum.known() == Some(0) => totals,
            Some(cores) => self.add_up_fragments(&work, cores, totals)?,
            None => self.add_up(&work, totals)?,
        };
        self.finish_tile(&work, &totals)
    }

    /// Memory for the panels of both operands.
    fn panels_of(&mut self, product: &Product, tile: Tile, cores: Option<Cores>) -> [OperandPanel; 2] {
        let elem = cores.map_or(self.factor_type(product), |cores| cores.elem);
        let bytes = elem.byte_width() as i64;
        let padding = if cores.is_some() { 0 } else { tile.padding(self.code.backend, bytes) };
        let rows = [0, 1].map(|s| tile.block[s] + padding);
        let counts = rows.map(|row| tile.stages * tile.slices * tile.depth * row);
        if self.code.backend == Backend::Vulkan {
            return [0, 1].map(|s| OperandPanel { place: self.shared(elem, counts[s]), row: rows[s], elem });
        }
        let kept = (tile.slices - 1) * tile.slice() * tile.thread[0] * tile.thread[1];
        let place = self.workspace(bytes * (counts[0] + counts[1]).max(kept));
        let second = self.code.gep(place, Index::constant(counts[0]), elem);
        [OperandPanel { place, row: rows[0], elem }, OperandPanel { place: second, row: rows[1], elem }]
    }

    /// Adds up in slices.
    fn sliced(&mut self, work: &Work<'_>) -> Supported<()> {
        let (tile, elem) = (work.tile, work.panels[0].elem);
        let count = tile.thread[0] * tile.thread[1];
        let zero = self.code.number(elem, 0.0);
        let totals = self.add_up(work, vec![zero; count as usize])?;
        // The panels make room for what the other slices have.
        self.barrier();
        let place = |this: &mut Self, slice: Index| {
            let base = this.code.mul(slice.plus(-1), Index::constant(count * tile.slice()));
            this.code.add(base, work.thread)
        };
        let (slice, none) = (self.code.ix(work.slice), self.code.index_constant(0));
        let others = self.code.compare(1, slice, none);
        self.when(others, |this| {
            let at = place(this, work.slice);
            for (e, &total) in totals.iter().enumerate() {
                this.code.write(work.panels[0].place, at.plus(e as i64 * tile.slice()), total);
            }
            Ok(())
        })?;
        self.barrier();
        let first = self.code.compare(0, slice, none);
        self.when(first, |this| {
            let mut sums = this.initial_totals(work)?;
            let add = if elem.is_float() { "arith.addf" } else { "arith.addi" };
            for (e, (sum, &total)) in sums.iter_mut().zip(&totals).enumerate() {
                *sum = this.code.at.value(add, &[*sum, total], elem, &[]);
                for slice in 1..tile.slices {
                    let at = place(this, Index::constant(slice)).plus(e as i64 * tile.slice());
                    let other = this.code.read(work.panels[0].place, at, elem);
                    *sum = this.code.at.value(add, &[*sum, other], elem, &[]);
                }
            }
            this.finish_tile(work, &sums)
        })
    }

    /// The type in which elements are multiplied; short floats are added up in `f32`.
    pub(super) fn factor_type(&self, product: &Product) -> Type {
        let ty = product.total;
        if ty.is_float() && ty.bits() < 32 { Type::f32(self.code.at.context()) } else { ty }
    }

    /// The indices of several loops from that of all of them.
    pub(super) fn spread(&mut self, node: usize, dims: &[usize], at: Index) -> Vec<(usize, LaneIndex)> {
        let sizes: Vec<Index> = dims.iter().map(|&d| self.nodes[node].dims[d]).collect();
        let idx = self.unrolled(at, &sizes);
        dims.iter().copied().zip(idx).collect()
    }

    /// A point of the reduction's loops.
    pub(super) fn loops_at(&self, work: &Work<'_>, sets: &[&[(usize, LaneIndex)]]) -> Point {
        let mut idx = vec![LaneIndex::constant(0); self.nodes[work.product.node].dims.len()];
        for (d, at) in sets.iter().copied().flatten().chain(&work.batch) {
            idx[*d] = at.clone();
        }
        Point::new(idx)
    }

    /// The row or column of a thread's `i`-th element within the block.
    pub(super) fn own(&mut self, tile: Tile, thread: Index, side: usize, i: i64) -> Index {
        let lane = self.lane_of(tile, thread, side);
        let lanes = tile.block[side] / tile.thread[side];
        // CUDA loads four neighbours at once; elsewhere neighbours belong to neighbouring threads.
        let run = if self.code.backend == Backend::Vulkan { 1 } else { tile.thread[side].min(4) };
        let base = self.code.mul(lane, Index::constant(run));
        base.plus(i / run * run * lanes + i % run)
    }

    /// The row or column of a thread among those of its slice.
    fn lane_of(&mut self, tile: Tile, thread: Index, side: usize) -> Index {
        let [down, across] = [0, 1].map(|s| tile.block[s] / tile.thread[s]);
        let name = if side == 0 { "arith.divui" } else { "arith.remui" };
        if self.code.backend == Backend::Vulkan || down % 4 != 0 || across % 8 != 0 {
            return self.code.divide(name, thread, Index::constant(across));
        }
        // A warp has four times eight threads. All eight columns of neighbours, 16 bytes each, are all banks once; eight
        // neighbours that load together have two of the four rows.
        let warp = self.code.divide("arith.divui", thread, Index::constant(32));
        let warp = self.code.divide(name, warp, Index::constant(across / 8));
        let bits = |this: &mut Self, from: i64, count: i64| {
            let bits = this.code.divide("arith.divui", thread, Index::constant(from));
            this.code.divide("arith.remui", bits, Index::constant(count))
        };
        let lane = if side == 0 {
            let (low, high) = (bits(self, 1, 2), bits(self, 16, 2));
            let high = self.code.mul(high, Index::constant(2));
            self.code.add(low, high)
        } else {
            bits(self, 2, 8)
        };
        let first = self.code.mul(warp, Index::constant(if side == 0 { 4 } else { 8 }));
        self.code.add(first, lane)
    }

    /// An index of the result that is within bounds, and whether it was.
    pub(super) fn bounded(&mut self, at: Index, size: Index, block: i64) -> (Index, Option<Value>) {
        if size.known().is_some_and(|n| n % block == 0) {
            return (at, None);
        }
        let (a, b) = (self.code.ix(at), self.code.ix(size));
        let inside = self.code.compare(2, a, b);
        (self.code.min(at, size.plus(-1)), Some(inside))
    }

    /// The indices of a thread's rows and columns, and whether they exist.
    fn own_indices(&mut self, work: &Work<'_>, side: usize) -> Vec<(Vec<(usize, LaneIndex)>, Option<Value>)> {
        work.own[side]
            .iter()
            .map(|&own| {
                let at = self.code.add(work.first[side], own);
                let (at, inside) = self.bounded(at, work.sizes[side], work.tile.block[side]);
                (self.spread(work.product.node, &work.product.sides[side].dims, at), inside)
            })
            .collect()
    }

    /// What the totals start from.
    pub(super) fn initial_totals(&mut self, work: &Work<'_>) -> Supported<Vec<Value>> {
        let node = work.product.node;
        let init = self.nodes[node].inits[0];
        let map = self.nodes[node].out_map(0).to_vec();
        let wide = self.factor_type(work.product);
        let [rows, columns] = [0, 1].map(|s| self.own_indices(work, s));
        let mut totals = Vec::new();
        for (row, _) in &rows {
            for (column, _) in &columns {
                let domain = self.loops_at(work, &[row, column]);
                let idx = map.iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
                let value = self.materialize(init, &[domain.at(idx)])?[0];
                let same = value.ty() == wide;
                totals.push(if same { value } else { self.code.pure("arith.extf", &[value], wide, None) });
            }
        }
        Ok(totals)
    }

    /// What a thread loads of a panel from step `from` of the sum on.
    fn fetch(&mut self, work: &Work<'_>, s: usize, from: Index) -> Supported<Vec<Value>> {
        self.shares(work, s).into_iter().map(|share| self.fetch_one(work, s, share, from, true)).collect()
    }

    /// An element of a panel: row or column within the block, and step from `from` on; zero beyond the end of the sum.
    /// As it is multiplied, or as it is.
    pub(super) fn fetch_one(
        &mut self,
        work: &Work<'_>,
        s: usize,
        (own, step): (Index, Index),
        from: Index,
        cast: bool,
    ) -> Supported<Value> {
        let side = &work.product.sides[s];
        let together = work.tile.depth * work.tile.slices;
        let whole = work.sum.known().is_some_and(|n| n % together == 0);
        let at = self.code.add(work.first[s], own);
        let (at, _) = self.bounded(at, work.sizes[s], work.tile.block[s]);
        let at = self.spread(work.product.node, &side.dims, at);
        let step = self.code.add(from, step);
        let (step, inside) = if whole { (step, None) } else { self.bounded(step, work.sum, together) };
        let step = self.spread(work.product.node, &work.product.sum, step);
        let domain = self.loops_at(work, &[&at, &step]);
        let value = self.factor(work, side, &domain, cast)?;
        Ok(match inside {
            Some(inside) => {
                let zero = self.code.number(value.ty(), 0.0);
                self.code.select(inside, value, zero)
            }
            None => value,
        })
    }

    /// Which elements of a panel a thread loads: row or column within the block, and step. Neighbouring threads load
    /// neighbours in memory.
    fn shares(&mut self, work: &Work<'_>, s: usize) -> Vec<(Index, Index)> {
        let (block, depth, threads) = (work.tile.block[s], work.tile.depth, work.tile.slice());
        let run = if work.product.sides[s].along_sum { depth } else { block };
        let fast = self.code.divide("arith.remui", work.thread, Index::constant(run));
        let slow = self.code.divide("arith.divui", work.thread, Index::constant(run));
        (0..block * depth / threads)
            .map(|r| {
                let slow = slow.plus(r * (threads / run));
                if work.product.sides[s].along_sum { (slow, fast) } else { (fast, slow) }
            })
            .collect()
    }

    /// An element of an operand, as it is multiplied if that is wanted.
    fn factor(&mut self, work: &Work<'_>, side: &Side, domain: &Point, cast: bool) -> Supported<Value> {
        let maps = self.nodes[work.product.node].maps[side.input].clone();
        let idx = maps.iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
        let point = domain.at(idx);
        let mut value = self.materialize(side.tensor, std::slice::from_ref(&point))?[0];
        if !cast {
            return Ok(value);
        }
        for cast in &side.casts {
            value = self.scalar_op(*cast, &[value], &point)?[0];
        }
        let wide = self.factor_type(work.product);
        Ok(if value.ty() == wide { value } else { self.code.pure("arith.extf", &[value], wide, None) })
    }

    /// The loop over panels.
    pub(super) fn add_up(&mut self, work: &Work<'_>, totals: Vec<Value>) -> Supported<Vec<Value>> {
        let count = totals.len();
        let start = self.code.mul(work.slice, Index::constant(work.tile.depth));
        let (rows, columns) = (self.fetch(work, 0, start)?, self.fetch(work, 1, start)?);
        let split = count + rows.len();
        let zero = self.code.index_constant(0);
        let carried: Vec<Value> = totals.into_iter().chain(rows).chain(columns).chain([zero]).collect();
        let together = work.tile.depth * work.tile.slices;
        let after =
            self.for_loop((Index::ZERO, work.sum, Index::constant(together)), &carried, |this, from, carried| {
                let which = carried[carried.len() - 1];
                for (s, values) in [&carried[count..split], &carried[split..carried.len() - 1]].into_iter().enumerate()
                {
                    let base = this.panel_at(work, s, which);
                    for ((own, step), &value) in this.shares(work, s).into_iter().zip(values) {
                        let line = this.code.mul(step, Index::constant(work.panels[s].row));
                        let at = this.code.add(line, own);
                        let at = this.code.add(base, at);
                        this.code.write(work.panels[s].place, at, value);
                    }
                }
                this.barrier();
                // After the last panel the first one is loaded again, for nothing.
                let next = from.plus(together);
                let (a, b) = (this.code.ix(next), this.code.ix(work.sum));
                let more = this.code.compare(2, a, b);
                let zero = this.code.index_constant(0);
                let next = Index::value(this.code.select(more, a, zero));
                let next = this.code.add(next, start);
                let mut yielded = Vec::new();
                let mut fetched = this.fetch(work, 0, next)?;
                fetched.extend(this.fetch(work, 1, next)?);
                yielded.extend(this.multiply(work, which, &carried[..count])?);
                yielded.extend(fetched);
                let one = this.code.index_constant(1);
                yielded.push(this.code.math("arith.subi", &[one, which]));
                Ok(yielded)
            })?;
        Ok(after[..count].to_vec())
    }

    /// Where a panel begins.
    fn panel_at(&mut self, work: &Work<'_>, s: usize, which: Value) -> Index {
        let size = work.tile.depth * work.panels[s].row;
        let panel = self.code.mul(Index::value(which), Index::constant(size));
        let slice = self.code.mul(work.slice, Index::constant(work.tile.stages * size));
        self.code.add(slice, panel)
    }

    /// Adds the products of a panel to the totals.
    fn multiply(&mut self, work: &Work<'_>, which: Value, totals: &[Value]) -> Supported<Vec<Value>> {
        let mut totals = totals.to_vec();
        let float = work.panels[0].elem.is_float();
        let base = [0, 1].map(|s| self.panel_at(work, s, which));
        for step in 0..work.tile.depth {
            let [rows, columns] = [0, 1].map(|s| {
                let panel = work.panels[s];
                work.own[s]
                    .iter()
                    .map(|&own| {
                        let at = self.code.add(base[s], own).plus(step * panel.row);
                        self.code.read(panel.place, at, panel.elem)
                    })
                    .collect::<Vec<_>>()
            });
            for (i, &a) in rows.iter().enumerate() {
                for (j, &b) in columns.iter().enumerate() {
                    let total = &mut totals[i * columns.len() + j];
                    *total = if float {
                        self.fused_product(a, b, *total)
                    } else {
                        let product = self.code.at.value("arith.muli", &[a, b], a.ty(), &[]);
                        self.code.at.value("arith.addi", &[product, *total], a.ty(), &[])
                    };
                }
            }
        }
        Ok(totals)
    }

    /// Stores a thread's tile, after what is done to each element.
    pub(super) fn finish_tile(&mut self, work: &Work<'_>, totals: &[Value]) -> Supported<()> {
        let [rows, columns] = [0, 1].map(|s| self.own_indices(work, s));
        let map = self.nodes[work.product.node].out_map(0).to_vec();
        for (i, (row, there)) in rows.iter().enumerate() {
            for (j, (column, here)) in columns.iter().enumerate() {
                let total = totals[i * columns.len() + j];
                let elem = work.product.total;
                let total =
                    if total.ty() == elem { total } else { self.code.pure("arith.truncf", &[total], elem, None) };
                let domain = self.loops_at(work, &[row, column]);
                let idx = map.iter().map(|e| self.affine(e, &domain.idx)).collect::<Supported<Vec<_>>>()?;
                let at = |d: &Option<usize>| d.map_or(LaneIndex::constant(0), |d| domain.idx[d].clone());
                let point = Point::new(work.product.loops.iter().map(at).collect());
                let inside = self.code.and(*there, *here);
                let store = |this: &mut Self| {
                    this.code.remember(work.product.result, &Point::new(idx), total);
                    this.store_at(work.part, std::slice::from_ref(&point))
                };
                match inside {
                    Some(inside) => self.when(inside, store)?,
                    None => self.code_scoped(store)?,
                }
            }
        }
        Ok(())
    }
}
