//! The code of a workgroup that has some rows: step by step, with a barrier after each.
use super::{FusedAttention, How, Place, Step};
use crate::Emitter;
use crate::analysis::access::Sym;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Buffer, Coder, Residency, Supported};
use crate::gpu::contraction::Product;
use crate::gpu::matmul::{OperandPanel, Work};
use crate::gpu::part::Part;
use crate::gpu::rows::Lane;
use crate::gpu::tile::Tile;
use crate::graph::Memory;
use crate::schedule::Choices;
use halyard_ir::{Type, Value};

/// The rows of a workgroup.
struct Group<'n> {
    attention: &'n FusedAttention,
    thread: Index,
    /// The first row, of how many there are in all.
    from: Index,
    size: Index,
    /// The indices of the dimensions of the result of which there is one row each.
    rows: Vec<(usize, LaneIndex)>,
    /// Panels of operands, which products use one after the other.
    panels: Vec<(usize, i64, OperandPanel)>,
}

impl Group<'_> {
    fn row(&self, d: usize) -> LaneIndex {
        self.rows.iter().find(|r| r.0 == d).map_or(LaneIndex::constant(0), |r| r.1.clone())
    }
}

impl Emitter<'_> {
    /// How many workgroups the rows of a part take.
    pub(in crate::gpu) fn attention_workgroups(&mut self, part: &Part, attention: &FusedAttention) -> Index {
        let tiles = self.row_tiles(part, attention);
        let sizes: Vec<Index> = attention.outer.iter().map(|&d| part.dims[d]).collect();
        let others = self.count(&sizes);
        self.code.mul(others, tiles)
    }

    fn row_tiles(&mut self, part: &Part, attention: &FusedAttention) -> Index {
        let size = tiled_size(part, attention);
        self.code.divide("arith.divui", size.plus(attention.count - 1), Index::constant(attention.count))
    }

    /// Computes the rows of a workgroup.
    pub(in crate::gpu) fn attention(
        &mut self,
        part: &Part,
        attention: &FusedAttention,
        group: Index,
        thread: Index,
    ) -> Supported<()> {
        let tiles = self.row_tiles(part, attention);
        let tile = self.code.divide("arith.remui", group, tiles);
        let other = self.code.divide("arith.divui", group, tiles);
        let from = self.code.mul(tile, Index::constant(attention.count));
        let sizes: Vec<Index> = attention.outer.iter().map(|&d| part.dims[d]).collect();
        let rows = attention.outer.iter().copied().zip(self.unrolled(other, &sizes)).collect();
        let size = tiled_size(part, attention);
        let mut own = Group { attention, thread, from, size, rows, panels: Vec::new() };
        for step in &attention.kept {
            let memory = self.kept_memory(step, &own)?;
            let held = vec![Residency::From(Index::ZERO); memory.dims.len()];
            let kept =
                Part { roots: vec![(step.id, memory.clone())], dims: memory.dims.clone(), run: 1, inner_sums: false };
            self.attention_step(&kept, step, &mut own)?;
            self.barrier();
            // From here on it is read from there.
            self.code.scope().buffers.insert(step.id, Buffer { memory, dims: held });
        }
        self.attention_step(part, &attention.last, &mut own)
    }

    /// Shared memory for what is kept of the rows; its index is that of the tensor.
    fn kept_memory(&mut self, step: &Step, group: &Group<'_>) -> Supported<Memory> {
        let tensor = self.tensors[step.id].clone();
        let (count, row) =
            self.planner(&mut Choices::default()).kept_size(group.attention, step).ok_or("a row of unknown length")?;
        let ptr = self.shared(tensor.elem, count);
        let mut memory = Memory { ptr, elem: tensor.elem, dims: tensor.dims, strides: Vec::new(), offset: Index::ZERO };
        let mut step_of_all = Index::constant(1);
        for (p, place) in step.places.iter().enumerate().rev() {
            memory.strides.push(match place {
                _ if group.attention.tiles(*place) => Index::constant(row),
                Place::Row(_) | Place::One => Index::ZERO,
                Place::All => {
                    let size = memory.dims[p];
                    let own = step_of_all;
                    step_of_all = self.code.mul(own, size);
                    own
                }
            });
        }
        memory.strides.reverse();
        let skipped = self.code.mul(group.from, Index::constant(row));
        memory.offset = self.code.sub(Index::ZERO, skipped);
        Ok(memory)
    }

    fn attention_step(&mut self, part: &Part, step: &Step, group: &mut Group<'_>) -> Supported<()> {
        match &step.how {
            How::Product(product, tile) => self.attention_product(part, (step, product, *tile), group),
            How::Items { lanes, across, sums } => {
                self.attention_items(part, &step.places, (*lanes, *across, sums.as_slice()), group)
            }
        }
    }

    /// A product, one tile of columns after the other.
    fn attention_product(
        &mut self,
        part: &Part,
        (step, product, tile): (&Step, &Product, Tile),
        group: &mut Group<'_>,
    ) -> Supported<()> {
        let elem = self.factor_type(product);
        let panels = [0, 1].map(|s| self.panel_of(s, elem, tile, group));
        let columns = self.steps(product.node, &product.sides[1].dims);
        let sum = self.steps(product.node, &product.sum);
        let own = [0, 1].map(|s| (0..tile.thread[s]).map(|i| self.own(tile, group.thread, s, i)).collect());
        let mut batch = Vec::new();
        for (place, d) in step.places.iter().zip(&product.loops) {
            if let (Place::Row(row), Some(d)) = (place, d)
                && product.batch.contains(d)
            {
                batch.push((*d, group.row(*row)));
            }
        }
        let sizes = [group.size, columns];
        let (from, thread) = (group.from, group.thread);
        self.for_loop((Index::ZERO, columns, Index::constant(tile.block[1])), &[], |this, at, _| {
            // Others may still read the panels of the tile before.
            this.barrier();
            let first = [from, at];
            let slice = Index::ZERO;
            let work = Work { part, product, tile, thread, slice, sizes, sum, first, batch, panels, own };
            let totals = this.initial_totals(&work)?;
            let totals = if sum.known() == Some(0) { totals } else { this.add_up(&work, totals)? };
            this.finish_tile(&work, &totals)?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Shared memory for two panels of an operand.
    fn panel_of(&mut self, side: usize, elem: Type, tile: Tile, group: &mut Group<'_>) -> OperandPanel {
        let row = tile.block[side] + tile.padding(self.gpu_model(), elem.byte_width() as i64);
        let count = 2 * tile.depth * row;
        let known = group.panels.iter().find(|(s, n, panel)| *s == side && *n >= count && panel.elem == elem);
        if let Some((_, _, panel)) = known {
            return OperandPanel { row, ..*panel };
        }
        let panel = OperandPanel { place: self.shared(elem, count), row, elem };
        group.panels.push((side, count, panel));
        panel
    }

    /// The elements of the rows, as many at a time as there are threads for.
    fn attention_items(
        &mut self,
        part: &Part,
        places: &[Place],
        (lanes, across, sums): (i64, bool, &[(usize, Vec<Sym>)]),
        group: &Group<'_>,
    ) -> Supported<()> {
        let (attention, thread) = (group.attention, group.thread);
        let side = attention.threads / lanes;
        let fast = Index::constant(if across { side } else { lanes });
        let [quick, slow] = ["arith.remui", "arith.divui"].map(|name| self.code.divide(name, thread, fast));
        let (own, lane) = if across { (quick, slow) } else { (slow, quick) };
        let step = if across { side } else { 1 };
        let unrolled = self.gpu_model().rows.lane_elements;
        let lane = Lane { thread, lane, lanes, step, threads: attention.threads, run: 1, unrolled };
        let wide: Vec<usize> = (0..places.len()).filter(|&p| places[p] == Place::All).collect();
        let sizes: Vec<Index> = wide.iter().map(|&p| part.dims[p]).collect();
        let columns = self.count(&sizes);
        let several = places.iter().any(|&p| attention.tiles(p));
        let rows = if several { attention.count } else { 1 };
        let items = self.code.mul(columns, Index::constant(rows));
        self.for_loop((Index::ZERO, items, Index::constant(side)), &[], |this, at, _| {
            if lanes > 1 && items.known().is_none_or(|n| n > side) {
                // Others may still read what lanes shared the time before.
                this.barrier();
            }
            let item = this.code.add(at, own);
            let (item, here) = this.bounded(item, items, side);
            let row = this.code.divide("arith.divui", item, columns);
            let column = this.code.divide("arith.remui", item, columns);
            let row = this.code.add(group.from, row);
            let (row, there) = if several { this.bounded(row, group.size, attention.count) } else { (row, None) };
            let mut idx = vec![LaneIndex::constant(0); places.len()];
            for (idx, place) in idx.iter_mut().zip(places) {
                match place {
                    _ if attention.tiles(*place) => *idx = LaneIndex::uniform(row),
                    Place::Row(d) => *idx = group.row(*d),
                    Place::One | Place::All => {}
                }
            }
            for (&p, at) in wide.iter().zip(this.unrolled(column, &sizes)) {
                idx[p] = at;
            }
            for (id, at) in sums {
                let place = |s: &Sym| s.exactly().map_or(LaneIndex::constant(0), |(_, d)| idx[d].clone());
                let point = Point::new(at.iter().map(place).collect());
                if this.code.recall(*id, &point).is_none() && this.code.buffer(*id).is_none() {
                    this.add_up_row(*id, &point, lane)?;
                }
            }
            let leads = (lanes > 1).then(|| this.first_lane(lane));
            let inside = this.code.and(here, there);
            let point = Point::new(idx);
            let store = |this: &mut Self| this.store_at(part, std::slice::from_ref(&point));
            match this.code.and(inside, leads) {
                Some(inside) => this.when(inside, store)?,
                None => store(this)?,
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Whether a thread is the first of its lanes.
    fn first_lane(&mut self, lane: Lane) -> Value {
        let (own, zero) = (self.code.ix(lane.lane), self.code.index_constant(0));
        self.code.compare(0, own, zero)
    }
}

/// The steps of the dimension of which workgroups have several rows.
fn tiled_size(part: &Part, attention: &FusedAttention) -> Index {
    attention.tiled.map_or(Index::constant(1), |d| part.dims[d])
}
