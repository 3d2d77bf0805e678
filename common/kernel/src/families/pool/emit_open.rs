//! Emits poolings of images whose rows and columns only a run knows, tile by tile, in the same two steps. Padding beside a row is written out for
//! each row: where it lies depends on the tile.
use super::emit::{Part, Rows, plane_point};
use super::form::Pool;
use super::plan::PoolPlan;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::open_images::TiledImage;
use crate::graph::Memory;

impl Emitter<'_> {
    /// The planes of this workgroup.
    pub(super) fn pool_tiles(
        &mut self,
        plan: &PoolPlan,
        image: TiledImage,
        rows: &Rows,
        memories: &[Memory],
    ) -> Supported<()> {
        let p = &plan.pool;
        let (from, to) = self.share_of(plan.share);
        self.for_loop((from, to, Index::constant(1)), &[], |this, unit, _| {
            let [down, across] = this.image_tiles(image);
            let tiles = this.code.mul(down, across);
            let number = this.code.divide("arith.remui", unit, tiles);
            let tile = this.image_tile(image, number);
            let plane = this.code.divide("arith.divui", unit, tiles);
            let plane = ["arith.divui", "arith.remui"].map(|op| this.code.divide(op, plane, Index::constant(p.to[1])));
            let bounds = (Index::ZERO, tile.count[0], Index::constant(rows.count));
            this.for_loop(bounds, &[], |this, top, _| {
                let left = this.code.sub(tile.count[0], top);
                let count = [this.code.min(left, Index::constant(rows.count)), tile.count[1]];
                let first = [this.code.add(tile.first[0], top), tile.first[1]];
                let part = Part { plane, first, count };
                this.combine_open_rows(p, rows, part)?;
                this.combine_columns(p, rows, part, memories).map(|()| Vec::new())
            })
        })?;
        Ok(())
    }

    /// The rows of the windows, each combined to one.
    fn combine_open_rows(&mut self, p: &Pool, rows: &Rows, part: Part) -> Supported<()> {
        let Part { plane: [image, channel], first, count } = part;
        let (lanes, one) = (self.code.lanes, Index::constant(1));
        let &[height, width] = self.tensors[p.x].dims.last_chunk().expect("a pooling has rows and columns");
        // Columns of the input with padding: the first one, how many are read, and which of those lie on the image.
        let low = self.code.mul(first[1], Index::constant(p.stride[1])).plus(-p.before[1]);
        let steps = self.code.mul(count[1].plus(-1), Index::constant(p.stride[1]));
        let columns = steps.plus(p.window[1]);
        let begin = self.code.sub(Index::ZERO, low);
        let [begin, whole, end] = self.on_image(begin, width, columns);
        self.for_loop((Index::ZERO, count[0], one), &[], |this, row, _| {
            let y = this.code.add(first[0], row);
            let high = this.code.mul(y, Index::constant(p.stride[0])).plus(-p.before[0]);
            let above = this.code.sub(Index::ZERO, high);
            let below = this.code.sub(height, high);
            let (from_row, to_row) =
                (this.code.max(Index::ZERO, above), this.code.min(Index::constant(p.window[0]), below));
            let line = this.code.mul(row, Index::constant(rows.pitch));
            this.for_loop((Index::ZERO, begin, Index::constant(lanes)), &[], |this, column, _| {
                let at = this.code.add(line, column);
                this.code.store(&rows.memory, &LaneIndex::from(at), rows.neutral, None);
                Ok(Vec::new())
            })?;
            // Whole vectors are stored; what lies beyond the image is padding.
            for (from, to, masked) in [(begin, whole, false), (whole, columns, true)] {
                this.for_loop((from, to, Index::constant(lanes)), &[], |this, column, _| {
                    let mask = masked.then(|| {
                        let left = this.code.sub(end, column);
                        this.lane_mask(left)
                    });
                    let source = this.code.add(low, column);
                    let combined = this.for_loop((from_row, to_row, one), &[rows.neutral], |this, i, sums| {
                        let point = plane_point([image, channel, this.code.add(high, i)], source, mask);
                        Ok(vec![this.add_row(p, rows, point, sums[0])?])
                    })?;
                    let at = this.code.add(line, column);
                    this.code.store(&rows.memory, &LaneIndex::from(at), combined[0], None);
                    Ok(Vec::new())
                })?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }
}
