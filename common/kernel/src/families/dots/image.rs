//! Windows: the columns of a convolution overlap. What they read is copied into groups of channels once, as an image, and
//! each tap of the filters reads it at another place; otherwise each number would be copied for each tap.
use super::form::Dots;
use super::pack::{Columns, Packed};
use super::window::{Slide, Window};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use halyard_ir::Value;

/// The sizes of an image of groups: rows, of those groups of channels, of those groups of neighbours.
#[derive(Clone, Copy)]
struct Image {
    rows: i64,
    groups: i64,
    columns: i64,
    pitch: i64,
}

impl Window {
    fn image(&self, d: &Dots, lanes: i64) -> Image {
        let reach = |s: &Slide| (d.sizes[s.out] - 1) * s.step + (d.sizes[s.tap] - 1) * s.dilation + 1;
        // The last vector of a row reads past its end.
        let vectors = (d.sizes[self.columns.out] + lanes - 1) / lanes;
        let pitch = vectors * lanes + (d.sizes[self.columns.tap] - 1) * self.columns.dilation;
        Image {
            rows: reach(&self.rows),
            groups: d.sizes[self.channels] / d.short().group(),
            columns: reach(&self.columns),
            pitch: (pitch + 15) / 16 * 16,
        }
    }

    /// The groups of the image.
    pub(super) fn count(&self, d: &Dots, lanes: i64) -> i64 {
        let image = self.image(d, lanes);
        image.rows * image.groups * image.pitch
    }
}

impl Emitter<'_> {
    /// Copies an input of a convolution into groups of channels.
    pub(super) fn pack_image(
        &mut self,
        d: &Dots,
        window: &Window,
        batch: &[LaneIndex],
        shift: Option<Value>,
        into: &Packed,
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let image = window.image(d, lanes);
        let group = d.short().group();
        // A row of the input belongs to a row of the result, or to a tap.
        let row = if window.rows.step == 1 { window.rows.out } else { window.rows.tap };
        let each = |to: i64| (Index::ZERO, Index::constant(to), Index::constant(1));
        self.for_loop(each(image.rows), &[], |this, y, _| {
            this.for_loop(each(image.groups), &[], |this, g, _| {
                let line = this.code.mul(y, Index::constant(image.groups));
                let line = this.code.add(line, g);
                let line = this.code.mul(line, Index::constant(image.pitch));
                let first = this.code.mul(g, Index::constant(group));
                let vector = |this: &mut Self, x: Index, mask: Option<Value>| -> Supported<()> {
                    let at = [LaneIndex::uniform(y), LaneIndex::from(x)];
                    let loops = [row, window.columns.out];
                    let domains: Vec<_> = (0..group)
                        .map(|c| {
                            let channel = [LaneIndex::uniform(first.plus(c))];
                            let places = [(&*d.batch, batch), (&loops[..], &at[..]), (&[window.channels], &channel)];
                            this.domain_at(d, &places, mask)
                        })
                        .collect();
                    let value = this.group_at(d, &d.columns, shift, &domains)?;
                    let place = this.code.add(line, x);
                    this.code.store(&into.groups, &LaneIndex::from(place), value, mask);
                    Ok(())
                };
                let whole = image.columns / lanes * lanes;
                let bounds = (Index::ZERO, Index::constant(whole), Index::constant(lanes));
                this.for_loop(bounds, &[], |this, x, _| {
                    vector(this, x, None)?;
                    Ok(Vec::new())
                })?;
                match image.columns - whole {
                    0 => {}
                    _ if whole > 0 => vector(this, Index::constant(image.columns - lanes), None)?,
                    left => {
                        let mask = this.lane_mask(Index::constant(left));
                        vector(this, Index::ZERO, Some(mask))?;
                    }
                }
                Ok(Vec::new())
            })?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Goes through the groups of a sum: `body` has the number of the group and its vector of each column.
    pub(super) fn each_step(
        &mut self,
        d: &Dots,
        columns: &Columns,
        from: &Packed,
        carried: &[Value],
        mut body: impl FnMut(&mut Self, Index, &[Value], &[Value]) -> Supported<Vec<Value>>,
    ) -> Supported<Vec<Value>> {
        let lanes = self.code.lanes;
        let each = |to: i64| (Index::ZERO, Index::constant(to), Index::constant(1));
        let load = |this: &mut Self, at: Index| this.code.load(&from.groups, &LaneIndex::from(at), None, None, None);
        let Some(window) = &d.window else {
            let width = columns.len() as i64 * lanes;
            return self.for_loop(each(d.groups()), carried, |this, k, carried| {
                let at = this.code.mul(k, Index::constant(width));
                let b: Vec<Value> = (0..columns.len() as i64).map(|c| load(this, at.plus(c * lanes))).collect();
                body(this, k, &b, carried)
            });
        };
        let image = window.image(d, lanes);
        let (high, wide) = (d.sizes[window.rows.tap], d.sizes[window.columns.tap]);
        let starts: Vec<Index> = columns
            .iter()
            .map(|(at, _)| {
                let row = Index::constant(window.rows.step * image.groups * image.pitch);
                let row = self.code.mul(at[0].ix, row);
                self.code.add(row, at[1].ix)
            })
            .collect();
        self.for_loop(each(high), carried, |this, y, carried| {
            this.for_loop(each(wide), carried, |this, x, carried| {
                let tap = this.code.mul(y, Index::constant(wide));
                let tap = this.code.add(tap, x);
                let tap = this.code.mul(tap, Index::constant(image.groups));
                let moved = this.code.mul(y, Index::constant(window.rows.dilation * image.groups * image.pitch));
                let aside = this.code.mul(x, Index::constant(window.columns.dilation));
                let moved = this.code.add(moved, aside);
                this.for_loop(each(image.groups), carried, |this, g, carried| {
                    let at = this.code.mul(g, Index::constant(image.pitch));
                    let at = this.code.add(moved, at);
                    let places: Vec<Index> = starts.iter().map(|s| this.code.add(*s, at)).collect();
                    let b: Vec<Value> = places.into_iter().map(|at| load(this, at)).collect();
                    let k = this.code.add(tap, g);
                    body(this, k, &b, carried)
                })
            })
        })
    }
}
