//! Sums of products of short numbers (bytes, 16-bit words, bf16) by instructions that add two or four products at once.
//!
//! Such an instruction wants the numbers that it adds up side by side: both factors are copied into groups of 32 bits first.
//! Registers then hold a tile of sums, rows times vectors of columns, as in any product. `vpdpbusd` multiplies unsigned
//! bytes with signed ones; other bytes are moved by 128 on the way, and zero points are left out:
//!
//! `Σ (u - p)(s - q) = Σ u·s - p·Σ s - q·(Σ u - n·p)`, exactly, because all of it wraps around in 32 bits.

mod form;
mod image;
mod instruction;
mod numbers;
mod pack;
mod tile;

use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::emit::memory::Memory;
use crate::machine::CpuNumbers;
use crate::machine::memory::CACHE_LINE;
use crate::machine::short_products::{TALLEST_TILE, WIDEST_TILE};
use crate::schedule::Legal;
use crate::schedule::cost_model::Reuse;
use form::Dots;
use halyard_ir::{Value, form::ScheduleSetting};
pub use instruction::DotProducts;
use instruction::Short;
use numbers::{Extend, Raw, Zero};
use pack::Packed;
use tile::Tile;

/// What the workgroups share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shared {
    Batch,
    Rows,
    Panels,
}

impl Shared {
    fn word(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Rows => "rows",
            Self::Panels => "panels",
        }
    }
}

/// How the work is cut, and where things are.
struct Work {
    tile: Tile,
    /// Rows and vectors of columns of all.
    rows: i64,
    vectors: i64,
    /// Vectors of a line across.
    line: i64,
    /// Groups from a row to the next.
    pitch: i64,
    shared: Shared,
    /// What the workgroup has of that.
    share: (Index, Index),
    a: Packed,
    b: Packed,
    /// What the sums of each row, and of each column of a panel, start from.
    row_starts: Option<Memory>,
    column_starts: Option<Packed>,
    /// What is added to the numbers of rows and columns, and the zero points that they have then, negated.
    shifts: [Option<Value>; 2],
    zeros: [Option<Value>; 2],
}

impl Emitter<'_> {
    /// Emits the kernel; says how.
    pub(super) fn multiply_short(&mut self, d: &Dots, memory: &Memory) -> Supported<String> {
        let last = d.sizes[*d.across.last().ok_or("no columns")?];
        let most = i64::from(self.target.vector_bits / 32);
        let lanes = most.min(last.max(4).unsigned_abs().next_power_of_two() as i64);
        let widths: Vec<i64> = [4, 8, 16].into_iter().filter(|n| *n <= most).collect();
        let lanes = self.choices.number("lanes", lanes, |n| widths.contains(&n));
        self.choices.record_number("lanes", lanes, widths);
        self.code.lanes = lanes;
        let short = d.short();
        let (rows, line) = (d.product(&d.down), (last + lanes - 1) / lanes);
        let vectors = d.product(&d.across) / last * line;
        let steps = d.product(&d.sums);
        let registers = i64::from(self.target.registers) - d.instruction.temporaries();
        let (high, wide) = Reuse { numbers: &self.target.cpu, registers, rows, vectors, broadcast: true }.tile();
        let tile = self.short_tile(lanes, (high, rows), (wide, vectors));
        let (high, wide) = (tile.rows, tile.vectors);
        let corrects = short == Short::Byte;
        let mut shifts = [None; 2];
        let mut zeros = [None; 2];
        if corrects {
            for (at, factor) in [&d.rows, &d.columns].into_iter().enumerate() {
                (shifts[at], zeros[at]) =
                    self.correction(factor.raw, d.instruction.shift(at == 0, factor.raw.signed))?;
            }
        }
        // Whole lines, and not a power of two apart, which would compete for the same lines of the cache.
        let per_line = CACHE_LINE / 4;
        let mut pitch = ((steps + short.group() - 1) / short.group() + per_line - 1) / per_line * per_line;
        if (pitch * 4) % 2048 == 0 {
            pitch += per_line;
        }
        let (shared, units, workgroups) = self.choose_shares(d, (rows, vectors, steps), tile);
        let share = self.own_share(units, workgroups);
        let groups = (steps + short.group() - 1) / short.group();
        // The rows and what belongs to them are in one piece, so that a later workgroup finds both or neither.
        let a = self.packed(d, rows * (pitch + i64::from(zeros[1].is_some())))?;
        let b = d.window.as_ref().map_or(wide * lanes * groups, |w| w.count(d, lanes));
        let b = self.packed(d, b)?;
        let row_starts = zeros[1].map(|_| Memory { offset: Index::constant(rows * pitch), ..a.groups.clone() });
        let column_starts = zeros[0].map(|_| self.packed(d, wide * lanes)).transpose()?;
        let work =
            Work { tile, rows, vectors, line, pitch, shared, share, a, b, row_starts, column_starts, shifts, zeros };
        self.roots.push(d.root);
        self.batches(d, &work, memory)?;
        self.roots.pop();
        for packed in [work.column_starts, Some(work.b), Some(work.a)].into_iter().flatten() {
            self.give(packed.taken)?;
        }
        let name = d.instruction.name();
        let many = if workgroups == 1 { "one workgroup".to_owned() } else { format!("{workgroups} workgroups") };
        Ok(format!(
            "product of short numbers by {name}, tiles of {high} x {} in registers with {lanes} lanes, {} in groups of {}, {many}",
            wide * lanes,
            if d.window.is_some() { "filters and one image for all taps" } else { "both operands" },
            short.group()
        ))
    }

    /// What is added to bytes less a zero point to have bytes again, moved by `shift`; and their zero point, negated.
    fn correction(&mut self, raw: Raw, shift: i64) -> Supported<(Option<Value>, Option<Value>)> {
        let int = self.code.int(32);
        let extended = |this: &mut Self, value: Value, extend: Extend| {
            let name = if extend == Extend::Signed { "arith.extsi" } else { "arith.extui" };
            this.code.pure(name, &[value], int, None)
        };
        let zero = match raw.zero {
            Zero::None => Err(0),
            Zero::Constant(c) => Err(c),
            Zero::Scalar(value, None) => Ok(value),
            Zero::Scalar(value, Some(extend)) => Ok(extended(self, value, extend)),
            Zero::Tensor(tensor, extend) => {
                let idx = vec![LaneIndex::constant(0); self.tensors[tensor].dims.len()];
                let value = self.materialize(tensor, &[crate::emit::index::Point::new(idx)])?[0];
                Ok(extended(self, value, extend))
            }
        };
        match zero {
            Err(zero) => {
                let all = zero + shift;
                let some = |this: &mut Self, n: i64| (all != 0).then(|| this.code.number(int, n as f64));
                Ok((some(self, all), some(self, -all)))
            }
            Ok(zero) => {
                let shift = self.code.number(int, shift as f64);
                let all = self.code.math("arith.addi", &[zero, shift]);
                let none = self.code.number(int, 0.0);
                Ok((Some(all), Some(self.code.math("arith.subi", &[none, all]))))
            }
        }
    }

    /// Chooses what the workgroups share: what it is, how many pieces of it there are, and how many workgroups.
    fn choose_shares(&mut self, d: &Dots, (rows, vectors, steps): (i64, i64, i64), tile: Tile) -> (Shared, i64, i64) {
        let CpuNumbers { short_products: numbers, workgroups, .. } = &self.target.cpu;
        let lanes = self.code.lanes;
        let batch = d.product(&d.batch);
        let products = (batch * rows * vectors * lanes * steps) as f64;
        let total = products / (numbers.instructions_a_nanosecond * lanes * d.short().group()) as f64;
        let wanted = (total / numbers.worth_handing_out).ceil();
        let packed = |count: i64, of: usize| (batch * steps * count) as f64 * numbers.packing[of];
        let least = if total > 2.0 * numbers.worth_handing_out { 2.0 } else { 1.0 };
        let up_to = |repeated: f64| {
            wanted
                .min((total * workgroups.repeated_share / repeated).floor().max(least))
                .clamp(1.0, workgroups.most_by_estimate) as i64
        };
        let choices = [
            (Shared::Batch, batch, wanted.clamp(1.0, workgroups.most_by_estimate) as i64),
            (Shared::Panels, (vectors + tile.vectors - 1) / tile.vectors, up_to(packed(rows, 0))),
            (Shared::Rows, (rows + tile.rows - 1) / tile.rows, up_to(packed(vectors * lanes, 1))),
        ];
        let ours = choices.into_iter().rev().max_by_key(|c| c.1.min(c.2)).expect("there are three choices");
        let legal: Vec<&str> = choices.iter().filter(|c| c.1 > 1 || c.0 == ours.0).map(|c| c.0.word()).collect();
        let word = self.choices.word("parallel", |word| legal.contains(&word)).unwrap_or(ours.0.word().to_owned());
        let (shared, units, most) = choices.into_iter().find(|c| c.0.word() == word).unwrap_or(ours);
        self.choices.record("parallel", ScheduleSetting::Word(word), Legal::words(legal));
        let groups = self.chosen_workgroups(units.min(most), Some(units));
        (shared, units, groups)
    }

    /// The pieces of this workgroup: the first, and the one after the last.
    fn own_share(&mut self, units: i64, groups: i64) -> (Index, Index) {
        self.workgroups.push(Index::constant(groups));
        if groups == 1 {
            return (Index::ZERO, Index::constant(units));
        }
        let (id, of) = self.workgroup();
        let mut bound = |id: Index| {
            let scaled = self.code.mul(id, Index::constant(units));
            self.code.divide("arith.divui", scaled, of)
        };
        (bound(id), bound(id.plus(1)))
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

    fn batches(&mut self, d: &Dots, w: &Work, memory: &Memory) -> Supported<()> {
        let all = (Index::ZERO, Index::constant(d.product(&d.batch)));
        let (from, to) = if w.shared == Shared::Batch { w.share } else { all };
        self.for_loop((from, to, Index::constant(1)), &[], |this, batch, _| {
            let batch = this.counted(d, &d.batch, batch);
            let mut rows = (Index::ZERO, Index::constant(w.rows));
            if w.shared == Shared::Rows {
                let high = Index::constant(w.tile.rows);
                let (first, end) = (this.code.mul(w.share.0, high), this.code.mul(w.share.1, high));
                rows = (first, this.code.min(end, Index::constant(w.rows)));
            }
            let pack = |this: &mut Self| {
                this.pack_rows(d, &batch, rows, w.pitch, w.shifts[0], &w.a)?;
                this.start_rows(d, w, rows)
            };
            if d.batch.is_empty() && w.shared == Shared::Panels {
                // What another workgroup has packed on this thread is there.
                this.fill_for_all(w.a.taken, pack)?;
            } else {
                pack(this)?;
            }
            if let Some(window) = &d.window {
                this.fill_for_all(w.b.taken, |this| this.pack_image(d, window, w.shifts[1], &w.b))?;
            }
            this.panels(d, w, memory, &batch, rows)?;
            Ok(Vec::new())
        })?;
        Ok(())
    }
}
