//! Products whose matrix stands in panels, [`ROWS`] columns of the result side by side: the loops over rows and panels, and what is
//! made of a tile of sums.
use super::roots::Root;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::scratch::Taken;
use crate::graph::Memory;
use halyard_ir::{Type, Value};

/// The columns of the result in a panel, which are rows of the matrix as it is stored.
pub(super) const ROWS: i64 = halyard_ir::WeightLayout::BLOCK as i64;

/// What such a product stores.
pub(super) struct PanelResults<'p> {
    /// The product: `[rows, columns]`, where rows may have several dimensions.
    pub(super) y: usize,
    pub(super) columns: i64,
    /// The results of the kernel, with their memories.
    pub(super) roots: &'p [Root],
    pub(super) memories: &'p [Memory],
}

/// How the work is shared out: chunks of rows, each with all panels, one panel after the other.
pub(super) struct PanelGrid {
    /// The rows of a chunk.
    pub(super) together: i64,
    pub(super) panels: i64,
    /// The panels of which no whole vector is beyond the columns of the result: all, or all but the last.
    pub(super) whole: i64,
    /// Workgroups, at most.
    pub(super) workgroups: i64,
}

/// A tile of sums: rows of the result from `row` on, with some vectors of a panel.
pub(super) struct SumTile<'p> {
    pub(super) row: Index,
    pub(super) rows: i64,
    pub(super) panel: Index,
    pub(super) vectors: &'p [i64],
}

impl Emitter<'_> {
    /// Does the share of a workgroup: puts each of its chunks of rows into the scratch memory, if there is one and it does not hold
    /// them, by `prepare` (first row, count), and has `multiply` take them (panel, first row, count) with each panel. The last
    /// argument says whether the panel lacks whole vectors of columns.
    pub(super) fn rows_with_panels(
        &mut self,
        rows: Index,
        grid: &PanelGrid,
        scratch: Option<Taken>,
        prepare: impl Fn(&mut Self, Index, Index) -> Supported<()>,
        multiply: impl Fn(&mut Self, Index, Index, Index, bool) -> Supported<()>,
    ) -> Supported<()> {
        let (one, most) = (Index::constant(1), Index::constant(grid.together));
        let (panels, whole) = (Index::constant(grid.panels), Index::constant(grid.whole));
        let chunks = self.code.divide("arith.divui", rows.plus(grid.together - 1), most);
        let units = self.code.mul(chunks, panels);
        let (from, to) = self.share_of_units(units, grid.workgroups);
        let (start, end) = if chunks.known() == Some(1) {
            (Index::ZERO, one)
        } else {
            let up = to.plus(grid.panels - 1);
            (self.code.divide("arith.divui", from, panels), self.code.divide("arith.divui", up, panels))
        };
        self.for_loop((start, end, one), &[], |this, chunk, _| {
            let first = this.code.mul(chunk, most);
            let left = this.code.sub(rows, first);
            let count = this.code.min(left, most);
            if let Some(scratch) = scratch {
                this.fill_once(scratch, chunk.plus(1), |this| prepare(this, first, count))?;
            }
            let before = this.code.mul(chunk, panels);
            let lowest = this.code.max(from, before);
            let lowest = this.code.sub(lowest, before);
            let highest = this.code.sub(to, before);
            let highest = this.code.min(highest, panels);
            let take = |this: &mut Self, bounds: (Index, Index), short| {
                this.for_loop((bounds.0, bounds.1, one), &[], |this, panel, _| {
                    multiply(this, panel, first, count, short).map(|()| Vec::new())
                })
            };
            if grid.whole > 0 {
                let end = this.code.min(highest, whole);
                take(this, (lowest, end), false)?;
            }
            if grid.whole < grid.panels {
                let start = this.code.max(lowest, whole);
                take(this, (start, highest), true)?;
            }
            Ok(Vec::new())
        })
        .map(|_| ())
    }

    /// Computes what follows a tile of sums, row by row, and stores it.
    pub(super) fn store_panel_tile(
        &mut self,
        results: &PanelResults<'_>,
        tile: &SumTile<'_>,
        sums: &[Value],
    ) -> Supported<()> {
        let (lanes, columns) = (self.code.lanes, results.columns);
        let mut points = Vec::new();
        for row in 0..tile.rows {
            for &vector in tile.vectors {
                let column = self.code.mul(tile.panel, Index::constant(ROWS)).plus(vector * lanes);
                let left = self.code.sub(Index::constant(columns), column);
                let mask = (columns % ROWS != 0).then(|| self.lane_mask(left));
                let mut idx = self.place_of_row(results.y, tile.row.plus(row));
                idx.push(LaneIndex::from(column));
                points.push(Point { idx, mask, guard: None });
            }
        }
        self.store_roots(results.y, (results.roots, results.memories), &points, sums)
    }

    /// How many rows a product has.
    pub(super) fn rows_of_product(&mut self, y: usize) -> Index {
        let (_, dims) = self.tensors[y].dims.split_last().expect("a product has columns");
        let dims = dims.to_vec();
        dims.into_iter().fold(Index::constant(1), |product, size| self.code.mul(product, size))
    }

    /// The indices of a row in all dimensions but the last.
    pub(super) fn place_of_row(&mut self, y: usize, row: Index) -> Vec<LaneIndex> {
        let (_, dims) = self.tensors[y].dims.split_last().expect("a product has columns");
        let dims = dims.to_vec();
        let mut left = Some(row);
        let mut places = vec![LaneIndex::uniform(Index::ZERO); dims.len()];
        for d in (0..dims.len()).rev().filter(|&d| dims[d].known() != Some(1)) {
            let Some(at) = left.take() else { break };
            // The first dimension that has several needs no remainder.
            if dims[..d].iter().all(|size| size.known() == Some(1)) {
                places[d] = LaneIndex::uniform(at);
            } else {
                places[d] = LaneIndex::uniform(self.code.divide("arith.remui", at, dims[d]));
                left = Some(self.code.divide("arith.divui", at, dims[d]));
            }
        }
        places
    }

    /// Floats as f32.
    pub(super) fn as_f32(&mut self, value: Value) -> Value {
        let floats = self.code.vector(Type::f32(self.code.at.context()));
        if value.ty() == floats { value } else { self.code.pure("arith.extf", &[value], floats, None) }
    }
}
