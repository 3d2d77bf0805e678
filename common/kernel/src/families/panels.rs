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
    /// The product, `[rows, columns]`.
    pub(super) y: usize,
    pub(super) columns: i64,
    /// The results of the kernel, with their memories.
    pub(super) roots: &'p [Root],
    pub(super) memories: &'p [Memory],
}

/// A tile of sums: rows of the result from `row` on, with some vectors of a panel.
pub(super) struct SumTile<'p> {
    pub(super) row: Index,
    pub(super) rows: i64,
    pub(super) panel: Index,
    pub(super) vectors: &'p [i64],
}

impl Emitter<'_> {
    /// Goes through the rows of a product, `together` at a time: `prepare` puts so many from the first one into scratch memory, if it
    /// does not hold them, and `multiply` takes them with each panel of the workgroup's share.
    pub(super) fn rows_with_panels(
        &mut self,
        (rows, together): (Index, i64),
        (from, to): (Index, Index),
        scratch: Taken,
        prepare: impl Fn(&mut Self, Index, Index) -> Supported<()>,
        multiply: impl Fn(&mut Self, Index, Index, Index) -> Supported<()>,
    ) -> Supported<()> {
        let (one, most) = (Index::constant(1), Index::constant(together));
        let chunks = self.code.divide("arith.divui", rows.plus(together - 1), most);
        self.for_loop((Index::ZERO, chunks, one), &[], |this, chunk, _| {
            let first = this.code.mul(chunk, most);
            let left = this.code.sub(rows, first);
            let count = this.code.min(left, most);
            this.fill_once(scratch, chunk.plus(1), |this| prepare(this, first, count))?;
            this.for_loop((from, to, one), &[], |this, panel, _| {
                multiply(this, panel, first, count).map(|()| Vec::new())
            })?;
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
                let idx = vec![LaneIndex::uniform(tile.row.plus(row)), LaneIndex::from(column)];
                points.push(Point { idx, mask, guard: None });
            }
        }
        self.store_roots(results.y, (results.roots, results.memories), &points, sums)
    }

    /// Floats as f32.
    pub(super) fn as_f32(&mut self, value: Value) -> Value {
        let floats = self.code.vector(Type::f32(self.code.at.context()));
        if value.ty() == floats { value } else { self.code.pure("arith.extf", &[value], floats, None) }
    }
}
