//! Columns whose innermost sum runs along lines of memory, as the taps of a convolution do: a register is loaded from a line, and one shuffle
//! gives each lane its taps. Each line has whole groups; what a last group has beside taps is zero.
use super::form::Dots;
use super::pack::{Columns, Packed};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use halyard_ir::{Type, Value};

/// What a shuffle puts into lanes that are filled later.
const ANYTHING: i64 = -1;

impl Emitter<'_> {
    /// The groups of a panel: for each group of steps the vectors side by side.
    pub(super) fn pack_taps(
        &mut self,
        d: &Dots,
        step: i64,
        batch: &[LaneIndex],
        columns: &Columns,
        shift: Option<Value>,
        into: &Packed,
    ) -> Supported<()> {
        let lanes = self.code.lanes;
        let width = lanes * columns.len() as i64;
        let groups = d.groups_of_line();
        let (outer, _) = d.sums.split_at(d.sums.len() - 1);
        let lines = (Index::ZERO, Index::constant(d.product(outer)), Index::constant(1));
        self.for_loop(lines, &[], |this, line, _| {
            let outside = this.counted(d, outer, line);
            let first = this.code.mul(line, Index::constant(groups * width));
            for (number, (across, _)) in columns.iter().enumerate() {
                for group in 0..groups {
                    let value = this.group_of_taps(d, step, (batch, across, &outside), group, shift)?;
                    let place = first.plus(group * width + number as i64 * lanes);
                    this.code.store(&into.groups, &LaneIndex::from(place), value, None);
                }
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// The group of that number along a line, of a vector of columns.
    fn group_of_taps(
        &mut self,
        d: &Dots,
        step: i64,
        (batch, across, outside): (&[LaneIndex], &[LaneIndex], &[LaneIndex]),
        group: i64,
        shift: Option<Value>,
    ) -> Supported<Value> {
        let (lanes, size) = (self.code.lanes, d.short().group());
        let (outer, last) = d.sums.split_at(d.sums.len() - 1);
        let (taps, bytes) = (d.sizes[last[0]], lanes * size);
        let columns = d.sizes[*d.across.last().expect("columns")];
        let (short, int) = (self.code.int(d.short().bits()), self.code.int(32));
        // The lanes whose taps one load has.
        let most = ((bytes - size) / step + 1).min(lanes);
        let some = 1 << most.ilog2();
        let mut found: Option<Value> = None;
        for lane in (0..lanes).step_by(some as usize) {
            let mut across = across.to_vec();
            let at = across.last_mut().expect("a loop with lanes");
            *at = LaneIndex::uniform(at.ix.plus(lane));
            // How many bytes there are up to the last tap of the last column.
            let past = self.code.mul(at.ix, Index::constant(-step)).plus((columns - 1) * step + taps - group * size);
            let along = [LaneIndex::from(Index::constant(group * size))];
            let places = [(&*d.batch, batch), (&*d.across, &*across), (outer, outside), (last, &along[..])];
            self.code.lanes = bytes;
            let mask = self.lane_mask(past);
            let point = self.domain_at(d, &places, Some(mask));
            let loaded = self.integers(d, &d.columns, shift, &[point]).map(|v| self.narrow(v[0], short));
            self.code.lanes = lanes;
            let loaded = loaded?;
            let picks = (0..bytes).map(|at| {
                let (to, tap) = (at / size, at % size);
                let place = (to - lane) * step + tap;
                match (lane..lane + some).contains(&to) {
                    true => place + if found.is_some() { bytes } else { 0 },
                    false if found.is_some() => at,
                    false => ANYTHING,
                }
            });
            found = Some(self.code.shuffled([found.unwrap_or(loaded), loaded], loaded.ty(), picks));
        }
        let found = found.ok_or("a vector without lanes")?;
        let value = self.code.pure("vector.bitcast", &[found], Type::vector(lanes, int), None);
        let here = (taps - group * size).min(size);
        if here == size {
            return Ok(value);
        }
        let kept = self.code.number(int, ((1i64 << (here * 8)) - 1) as f64);
        let kept = self.code.splat(kept);
        Ok(self.code.math("arith.andi", &[value, kept]))
    }
}
