//! Products of matrices in tiles: a workgroup brings a panel of each operand into shared memory, each thread adds
//! up a small tile of the result in registers.
//!
//! Operands are materialized, so that whatever makes them (paddings, windows, elementwise work) is done on the way into
//! shared memory; what is done to the result is materialized for each element where it stands in a register. While a
//! panel is worked on, the next one is on its way in registers; there are two panels in shared memory, so that one
//! barrier per panel does. Where there would be few workgroups, several groups of threads share the sum of a tile: each
//! has panels of its own, and in the end one adds up what all have.
mod indices;
mod panels;
mod products;
mod totals;

use super::contraction::Product;
use super::part::Part;
use super::tile::Tile;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::Supported;
use crate::machine::tensor_cores::Cores;
use crate::schedule::Choices;
use halyard_ir::Value;
pub(super) use panels::OperandPanel;

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
        let cores = self.planner(&mut Choices::default()).cores(product).filter(|_| tile.matrix);
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
            return self.sliced(&work, cores);
        }
        let totals = self.initial_totals(&work)?;
        let totals = if sum.known() == Some(0) { totals } else { self.add_up_slice(&work, cores, totals)? };
        self.finish_tile(&work, &totals)
    }

    /// Adds the products of the thread's slice of the sum.
    fn add_up_slice(&mut self, work: &Work<'_>, cores: Option<Cores>, totals: Vec<Value>) -> Supported<Vec<Value>> {
        match cores {
            Some(cores) => self.add_up_fragments(work, cores, totals),
            None => self.add_up(work, totals),
        }
    }
}
