//! The units of work of a convolution, one after the other.
use super::Share;
use super::blocking::Blocking;
use super::open_images::ImageTile;
use super::roots::Root;
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};

/// Which unit of work it is.
pub(super) struct Place {
    /// The number of its stripe, among those of all images, from 1 on.
    pub(super) stripe: Index,
    /// The image (with groups: the image and the group), the first row, the first block of filters.
    pub(super) image: Index,
    pub(super) row: Index,
    pub(super) block: Index,
    /// Where rows and columns are known in a run alone: the tile that the unit is of, whose first row is the unit's.
    pub(super) tile: Option<ImageTile>,
}

impl Emitter<'_> {
    /// The units of work of this workgroup. They compute elements of `roots`.
    pub(super) fn units(
        &mut self,
        blocking: &Blocking,
        share: Share,
        roots: &[Root],
        work: impl FnOnce(&mut Self, &Place) -> Supported<()>,
    ) -> Supported<()> {
        let (from, to) = self.share_of(share);
        let outer = self.roots.len();
        self.roots.extend(roots.iter().map(|root| root.tensor));
        self.for_loop((from, to, Index::constant(1)), &[], |this, unit, _| {
            let part = this.code.divide("arith.remui", unit, Index::constant(blocking.parts));
            let stripe = this.code.divide("arith.divui", unit, Index::constant(blocking.parts));
            if let Some(image) = blocking.tiles {
                let [down, across] = this.image_tiles(image);
                let tiles = this.code.mul(down, across);
                let number = this.code.divide("arith.remui", stripe, tiles);
                let tile = this.image_tile(image, number);
                let place = Place {
                    stripe: stripe.plus(1),
                    image: this.code.divide("arith.divui", stripe, tiles),
                    row: tile.first[0],
                    block: this.code.mul(part, Index::constant(blocking.blocks)),
                    tile: Some(tile),
                };
                work(this, &place)?;
                return Ok(Vec::new());
            }
            let within = this.code.divide("arith.remui", stripe, Index::constant(blocking.each));
            let place = Place {
                stripe: stripe.plus(1),
                image: this.code.divide("arith.divui", stripe, Index::constant(blocking.each)),
                row: this.code.mul(within, Index::constant(blocking.rows)),
                block: this.code.mul(part, Index::constant(blocking.blocks)),
                tile: None,
            };
            work(this, &place)?;
            Ok(Vec::new())
        })?;
        self.roots.truncate(outer);
        Ok(())
    }
}
