//! How a product of short numbers is laid out.
use super::form::Dots;
use crate::families::Share;
use crate::machine::CpuNumbers;
use crate::machine::short_products::{TALLEST_TILE, WIDEST_TILE};
use crate::schedule::Legal;
use crate::schedule::cost_model::Reuse;
use crate::schedule::planner::Planner;
use halyard_ir::form::ScheduleSetting;

/// A product of this form as it is emitted.
pub(crate) struct DotsPlan {
    pub(super) form: Dots,
    pub(super) lanes: i64,
    pub(super) tile: Tile,
    /// Rows and vectors of columns of all.
    pub(super) rows: i64,
    pub(super) vectors: i64,
    /// Vectors of a line across.
    pub(super) line: i64,
    pub(super) shared: Shared,
    pub(super) share: Share,
}

/// What the workgroups share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shared {
    Batch,
    Rows,
    Panels,
}

impl Shared {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Rows => "rows",
            Self::Panels => "panels",
        }
    }
}

/// Rows and vectors of columns in registers.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) rows: i64,
    pub(super) vectors: i64,
}

impl Planner<'_> {
    /// Lays out the kernel; `None` if it has no columns.
    pub(in crate::families) fn plan_dots(&mut self, form: Dots) -> Option<DotsPlan> {
        let last = form.sizes[*form.across.last()?];
        let most = i64::from(self.target.vector_bits / 32);
        let lanes = most.min(last.max(4).unsigned_abs().next_power_of_two() as i64);
        let widths: Vec<i64> = [4, 8, 16].into_iter().filter(|n| *n <= most).collect();
        let lanes = self.choices.number("lanes", lanes, |n| widths.contains(&n));
        self.choices.record_number("lanes", lanes, widths);
        let (rows, line) = (form.product(&form.down), (last + lanes - 1) / lanes);
        let vectors = form.product(&form.across) / last * line;
        let registers = i64::from(self.target.registers) - form.instruction.temporaries();
        let (high, wide) = Reuse {
            numbers: &self.target.cpu,
            registers,
            rows,
            together: rows,
            vectors,
            vectors_together: 1,
            broadcast: true,
        }
        .tile();
        let tile = self.short_tile(lanes, (high, rows), (wide, vectors));
        let steps = form.product(&form.sums);
        let (shared, share) = self.choose_shares(&form, lanes, (rows, vectors, steps), tile);
        Some(DotsPlan { form, lanes, tile, rows, vectors, line, shared, share })
    }

    /// Chooses what the workgroups share: what it is, and how many workgroups.
    fn choose_shares(
        &mut self,
        d: &Dots,
        lanes: i64,
        (rows, vectors, steps): (i64, i64, i64),
        tile: Tile,
    ) -> (Shared, Share) {
        let CpuNumbers { short_products: numbers, workgroups: limits, .. } = &self.target.cpu;
        let batch = d.product(&d.batch);
        let products = (batch * rows * vectors * lanes * steps) as f64;
        let multiplied = products / (numbers.instructions_a_nanosecond * lanes * d.short().group()) as f64;
        let total = multiplied + (batch * rows * vectors * lanes) as f64 * numbers.finishing;
        let wanted = (total / numbers.worth_handing_out).ceil();
        let packed = |count: i64, of: usize| (batch * steps * count) as f64 * numbers.packing[of];
        let least = if total > 2.0 * numbers.worth_handing_out { 2.0 } else { 1.0 };
        // What a thread has packed is there for its next workgroup, if that is kept: as many threads as there are pack it again.
        let alone = d.has_no_batch();
        let up_to = |repeated: f64, kept: bool| {
            let most = match kept && repeated <= total * numbers.packed_again {
                true => wanted,
                false => (total * limits.repeated_share / repeated).floor().max(least),
            };
            wanted.min(most).clamp(1.0, limits.most_by_estimate) as i64
        };
        // What is packed for all panels of an image is there for the next workgroup of a thread, if there is one image.
        let image = d.window.as_ref().filter(|_| batch > 1).map_or(0, |w| w.count(d, lanes) * d.short().group());
        let image = (batch * image) as f64 * numbers.packing_images;
        let choices = [
            (Shared::Batch, batch, wanted.clamp(1.0, limits.most_by_estimate) as i64),
            (Shared::Panels, (vectors + tile.vectors - 1) / tile.vectors, up_to(packed(rows, 0) + image, alone)),
            (
                Shared::Rows,
                (rows + tile.rows - 1) / tile.rows,
                up_to(packed(vectors * lanes, 1) + image, alone && d.window.is_some()),
            ),
        ];
        let ours = choices.into_iter().rev().max_by_key(|c| c.1.min(c.2)).expect("there are three choices");
        let legal: Vec<&str> = choices.iter().filter(|c| c.1 > 1 || c.0 == ours.0).map(|c| c.0.word()).collect();
        let word = self.choices.word("parallel", |word| legal.contains(&word)).unwrap_or(ours.0.word().to_owned());
        let (shared, units, most) = choices.into_iter().find(|c| c.0.word() == word).unwrap_or(ours);
        self.choices.record("parallel", ScheduleSetting::Word(word), Legal::words(legal));
        let workgroups = self.choices.chosen_workgroups(units.min(most), Some(units));
        (shared, Share { units, images: None, tiles: None, workgroups })
    }

    /// The tile of registers: rows and vectors of columns, of so many that there are.
    fn short_tile(&mut self, lanes: i64, (high, rows): (i64, i64), (wide, vectors): (i64, i64)) -> Tile {
        let legal = |list: &[i64]| match list {
            [high, columns] => *high <= TALLEST_TILE && columns % lanes == 0 && columns / lanes <= WIDEST_TILE,
            _ => false,
        };
        let size = self.choices.numbers("tile", vec![high, wide * lanes], legal);
        let each = vec![
            (1..=TALLEST_TILE.min(rows.max(high))).collect(),
            (1..=WIDEST_TILE.min(vectors.max(wide))).map(|v| v * lanes).collect(),
        ];
        self.choices.record("tile", ScheduleSetting::Numbers(size.clone()), Legal::Each(each));
        Tile { rows: size[0], vectors: size[1] / lanes }
    }
}

impl DotsPlan {
    /// For people.
    pub(in crate::families) fn describe(&self) -> String {
        let (d, lanes, name) = (&self.form, self.lanes, self.form.instruction.name());
        let many = match self.share.workgroups {
            1 => "one workgroup".to_owned(),
            n => format!("{n} workgroups"),
        };
        format!(
            "product of short numbers by {name}, tiles of {} x {} in registers with {lanes} lanes, {} in groups of {}, {many}",
            self.tile.rows,
            self.tile.vectors * lanes,
            match (&d.window, d.tap_step) {
                (Some(_), _) => "filters and one image for all taps",
                (None, Some(_)) => "filters, and lines of taps by one load each,",
                (None, None) => "both operands",
            },
            d.short().group()
        )
    }
}
