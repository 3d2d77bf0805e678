//! Where the input of a stripe lies, and copies of it in planes.
use super::form::Direct;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Lanes, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::open_images::ImageTile;
use crate::families::open_rows::PartOfRow;
use crate::families::units::Place;
use crate::graph::Memory;
use crate::machine::memory::CACHE_LINE;
use halyard_ir::Value;

/// Elements between copied planes: planes a power of two apart would compete for the same lines of the cache. A vector fits, too.
pub(super) const BETWEEN_PLANES: i64 = 16;

/// The elements of the input from a channel, a row and a column to the next.
#[derive(Clone, Copy)]
pub(super) struct Strides {
    pub(super) channel: Index,
    pub(super) row: Index,
    pub(super) column: i64,
}

impl Strides {
    /// Of planes that are so far apart.
    pub(super) fn of_planes(d: &Direct, plane: i64) -> Self {
        Self { channel: Index::constant(plane), row: Index::constant(d.input[1]), column: 1 }
    }

    /// Of pixels whose channels stand side by side. From one to the next it is an odd number of lines, so that they do not compete for the
    /// same lines of the cache; or no more than their channels, where those of several are added up together.
    pub(super) fn of_pixels(d: &Direct) -> Self {
        let line = CACHE_LINE / 4;
        let lines = (d.sizes.channels + line - 1) / line;
        let column = if d.joins_taps() { d.sizes.channels } else { (lines | 1) * line };
        Self { channel: Index::constant(1), row: Index::constant(d.input[1] * column), column }
    }
}

/// What of the input a unit of work reads.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Its first row and column.
    pub(super) first: [Index; 2],
    pub(super) rows: Index,
    /// Its columns, if only a run knows them.
    pub(super) columns: Option<Index>,
}

impl Emitter<'_> {
    /// The strides of a copy of a part whose columns only a run knows: its planes stand close together, so that those of a small image fill no
    /// more of the cache than they need. Otherwise `all`.
    pub(super) fn strides_of(&mut self, part: Part, all: Strides) -> Strides {
        let Some(columns) = part.columns.filter(|_| all.column == 1) else { return all };
        let plane = self.code.mul(part.rows, columns).plus(BETWEEN_PLANES);
        Strides { channel: plane, row: columns, column: 1 }
    }

    /// `count` times `step` rows, in elements.
    pub(super) fn rows_down(&mut self, at: Strides, count: Index, step: i64) -> Index {
        let stride = self.code.mul(at.row, Index::constant(step));
        self.code.mul(count, stride)
    }

    /// The input under a unit of work.
    pub(super) fn part_of_input(&mut self, d: &Direct, place: &Place, rows: i64) -> Part {
        let high = self.code.mul(place.row, Index::constant(d.stride[0]));
        let Some(ImageTile { first, count }) = place.tile else {
            return Part { first: [high, Index::ZERO], rows: Index::constant(rows), columns: None };
        };
        let left = self.code.mul(first[1], Index::constant(d.stride[1]));
        let [rows, columns] = [0, 1].map(|at| {
            let steps = self.code.mul(count[at].plus(-1), Index::constant(d.stride[at]));
            steps.plus((d.window[at] - 1) * d.dilation[at] + 1)
        });
        Part { first: [high, left], rows, columns: Some(columns) }
    }

    /// Copies a part of all channels, with padding. There is room for a vector after each plane.
    pub(super) fn copy_stripe(
        &mut self,
        d: &Direct,
        outer: &[Index],
        part: Part,
        (scratch, at): (&Memory, Strides),
    ) -> Supported<()> {
        let one = Index::constant(1);
        let image = part.columns.and_then(|columns| Some((columns, self.padded_image(d.x)?)));
        self.for_loop((Index::ZERO, Index::constant(d.sizes.channels), one), &[], |this, channel, _| {
            let to = this.code.mul(channel, at.channel);
            if let Some((columns, image)) = &image {
                let outer = [outer, &[channel][..]].concat();
                return this.for_loop((Index::ZERO, part.rows, one), &[], |this, row, _| {
                    let line = this.code.mul(row, at.row);
                    let to = this.code.add(to, line);
                    let row = this.code.add(part.first[0], row).plus(d.origin[0]);
                    // What is written after the end of a row is written again with the next one.
                    let part = PartOfRow { row, first: part.first[1], columns: *columns };
                    this.copy_padded_row(image, &outer, part, (scratch, to)).map(|()| Vec::new())
                });
            }
            this.each_piece(d, part, (to, at.row), |this, row, column, to, mask| {
                let point = input_point(outer, [channel, row, column], mask);
                let value = this.materialize(d.x, &[point])?[0];
                this.code.store(scratch, &LaneIndex::from(to), value, mask);
                Ok(())
            })?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Goes through a part of a plane of the input, a vector after the other: `copy` has row, column, where it goes, and the mask of its lanes.
    pub(super) fn each_piece(
        &mut self,
        d: &Direct,
        part: Part,
        (to, pitch): (Index, Index),
        copy: impl Fn(&mut Self, Index, Index, Index, Option<Value>) -> Supported<()>,
    ) -> Supported<()> {
        self.for_loop((Index::ZERO, part.rows, Index::constant(1)), &[], |this, row, _| {
            let line = this.code.mul(row, pitch);
            let to = this.code.add(to, line);
            let row = this.code.add(part.first[0], row).plus(d.origin[0]);
            let lanes = this.code.lanes;
            if let Some(columns) = part.columns {
                let bounds = (Index::ZERO, columns, Index::constant(lanes));
                return this.for_loop(bounds, &[], |this, column, _| {
                    let left = this.code.sub(columns, column);
                    let (mask, from) = (this.lane_mask(left), this.code.add(part.first[1], column));
                    let to = this.code.add(to, column);
                    copy(this, row, from, to, Some(mask)).map(|()| Vec::new())
                });
            }
            for column in (0..d.input[1]).step_by(lanes as usize) {
                let mask = (column + lanes > d.input[1]).then(|| this.lane_mask(Index::constant(d.input[1] - column)));
                copy(this, row, Index::constant(column + d.origin[1]), to.plus(column), mask)?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }
}

/// Where lanes along a row of the input are, of an image (or of an image and a group).
pub(super) fn input_point(outer: &[Index], place: [Index; 3], mask: Option<Value>) -> Point {
    sampled_point(outer, place, 1, mask)
}

/// The same for lanes along each column of so many.
pub(super) fn sampled_point(
    outer: &[Index],
    [channel, row, column]: [Index; 3],
    each: i64,
    mask: Option<Value>,
) -> Point {
    let mut idx: Vec<LaneIndex> = outer.iter().copied().chain([channel, row]).map(LaneIndex::uniform).collect();
    idx.push(LaneIndex { ix: column, lanes: Lanes::Strided(each) });
    Point { idx, mask, guard: None }
}
