//! Loads of whole blocks: where neighbouring points read across the rows of a block, its rows are loaded and transposed
//! in registers.
use crate::Emitter;
use crate::emit::index::{LaneIndex, Lanes, Point};
use crate::graph::Memory;
use crate::machine::memory::MOST_INTERLEAVED;
use halyard_ir::{Attr, Type, Value};
use std::cmp::Ordering;

impl Emitter<'_> {
    /// Memory at points.
    pub(crate) fn load_all(&mut self, memory: &Memory, points: &[Point]) -> Vec<Value> {
        let lanes = self.code.lanes as usize;
        let whole = lanes > 1
            && lanes.is_power_of_two()
            && points.len().is_multiple_of(lanes)
            && points.iter().all(|p| p.mask.is_none() && p.guard.is_none());
        if !whole {
            return points.iter().map(|p| self.load_at(memory, p, None)).collect();
        }
        points.chunks(lanes).flat_map(|block| self.load_block(memory, block)).collect()
    }

    /// As many points as there are lanes.
    fn load_block(&mut self, memory: &Memory, points: &[Point]) -> Vec<Value> {
        let lanes = points.len() as i64;
        let offsets: Vec<LaneIndex> = points.iter().map(|p| self.code.offset(memory, &p.idx)).collect();
        let first = &offsets[0];
        let consecutive =
            offsets.iter().enumerate().all(|(k, o)| o.lanes == first.lanes && o.ix == first.ix.plus(k as i64));
        match first.lanes {
            Lanes::Strided(step) if step.abs() > 4 && consecutive => {
                if let Some(ahead) = self.ahead {
                    (0..lanes).for_each(|row| self.code.prefetch(memory, first.ix.plus(row * step + ahead)));
                }
                let rows: Vec<Value> = (0..lanes)
                    .map(|l| self.code.load(memory, &LaneIndex::from(first.ix.plus(l * step)), None, None, None))
                    .collect();
                self.transposed(rows)
            }
            _ => points.iter().map(|p| self.load_at(memory, p, None)).collect(),
        }
    }

    /// Stores whole blocks whose lanes lie across the rows of memory, but whose neighbours are neighbours along its rows: transposed in
    /// registers. Gives the points that are left, with their values.
    pub(crate) fn store_blocks(
        &mut self,
        memory: &Memory,
        points: Vec<Point>,
        values: Vec<Value>,
    ) -> (Vec<Point>, Vec<Value>) {
        let lanes = self.code.lanes as usize;
        let across = |s: &Lanes| matches!(s, Lanes::Strided(step) if step.abs() > 4);
        let offsets: Vec<LaneIndex> = points.iter().map(|p| self.code.offset(memory, &p.idx)).collect();
        let block = |first: usize, done: &[bool]| -> Option<Vec<usize>> {
            let whole = |p: usize| {
                !done[p] && points[p].mask.is_none() && points[p].guard.is_none() && values[p].ty().is_vector()
            };
            let (from, fits) = (&offsets[first], memory.elem.bits() >= 8 && lanes > 1 && lanes.is_power_of_two());
            let next = |k: usize| {
                let at = from.ix.plus(k as i64);
                (first..points.len()).find(|&p| offsets[p].ix == at && offsets[p].lanes == from.lanes && whole(p))
            };
            if !fits || !across(&from.lanes) { None } else { (0..lanes).map(next).collect() }
        };
        let mut done = vec![false; points.len()];
        for first in 0..points.len() {
            let Some(rows) = (!done[first]).then(|| block(first, &done)).flatten() else { continue };
            let Lanes::Strided(step) = offsets[first].lanes else { continue };
            let narrow: Vec<Value> = rows.iter().map(|&p| values[p]).collect();
            for (k, row) in self.transposed(narrow).into_iter().enumerate() {
                let at = LaneIndex::from(offsets[first].ix.plus(k as i64 * step));
                self.code.store(memory, &at, row, None);
            }
            rows.into_iter().for_each(|p| done[p] = true);
        }
        points.into_iter().zip(values).zip(done).filter(|(_, done)| !done).map(|(kept, _)| kept).unzip()
    }

    /// Stores points whose lanes are as far apart in memory as there are points side by side between them: interleaved in registers. Gives the
    /// points that are left, with their values.
    pub(crate) fn store_interleaved(
        &mut self,
        memory: &Memory,
        points: Vec<Point>,
        values: Vec<Value>,
    ) -> (Vec<Point>, Vec<Value>) {
        let offsets: Vec<LaneIndex> = points.iter().map(|p| self.code.offset(memory, &p.idx)).collect();
        let whole = |p: usize| points[p].mask.is_none() && points[p].guard.is_none() && values[p].ty().is_vector();
        let beside = |first: usize, done: &[bool]| -> Option<Vec<usize>> {
            let Lanes::Strided(step @ 2..=MOST_INTERLEAVED) = offsets[first].lanes else { return None };
            let next = |k: i64| {
                let at = offsets[first].ix.plus(k);
                let fits = |p: usize| offsets[p].ix == at && offsets[p].lanes == offsets[first].lanes;
                (first..points.len()).find(|&p| !done[p] && whole(p) && fits(p))
            };
            (memory.elem.bits() >= 8).then(|| (0..step).map(next).collect())?
        };
        let mut done = vec![false; points.len()];
        for first in 0..points.len() {
            let Some(rows) = (!done[first]).then(|| beside(first, &done)).flatten() else { continue };
            let rows_of = rows.iter().map(|&p| values[p]).collect();
            for (k, row) in self.interleaved(rows_of).into_iter().enumerate() {
                let at = LaneIndex::from(offsets[first].ix.plus(k as i64 * self.code.lanes));
                self.code.store(memory, &at, row, None);
            }
            rows.into_iter().for_each(|p| done[p] = true);
        }
        points.into_iter().zip(values).zip(done).filter(|(_, done)| !done).map(|(kept, _)| kept).unzip()
    }

    /// A square block in registers, transposed: blocks of half the size change places, then theirs, and so on.
    pub(crate) fn transposed(&mut self, mut rows: Vec<Value>) -> Vec<Value> {
        let lanes = rows.len();
        if rows.first().is_some_and(|row| row.ty().is_vector() && row.ty().element().bits() == 8) {
            // By measurement on CPUs with matrix tiles, 2026-12-01.
            return if lanes == 16 && self.target.dots.tiles {
                self.transposed_bytes(rows)
            } else {
                self.interleaved(rows)
            };
        }
        let mut half = lanes / 2;
        while half > 0 {
            for at in (0..lanes).filter(|r| r & half == 0) {
                let (a, b) = (rows[at], rows[at + half]);
                let pick = |wanted: bool| {
                    (0..lanes)
                        .map(|k| match (wanted, k & half == 0) {
                            (true, true) => k,
                            (true, false) => lanes + (k ^ half),
                            (false, true) => k ^ half,
                            (false, false) => lanes + k,
                        } as i64)
                        .collect::<Vec<_>>()
                };
                rows[at] = self.shuffled((a, b), pick(true));
                rows[at + half] = self.shuffled((a, b), pick(false));
            }
            half /= 2;
        }
        rows
    }

    /// Sixteen rows of sixteen bytes, transposed in registers of four rows: the bytes of each column are put side by side, then those of all registers.
    fn transposed_bytes(&mut self, rows: Vec<Value>) -> Vec<Value> {
        let pair = |this: &mut Self, a: Value, b: Value| {
            let count = 2 * lanes_of(a) as i64;
            this.picked((a, b), (0..count).collect())
        };
        let fours = rows.chunks(4).map(|four| {
            let halves = [pair(self, four[0], four[1]), pair(self, four[2], four[3])];
            let all = pair(self, halves[0], halves[1]);
            // Columns 0 to 3 in the first 128 bits, four bytes of each.
            self.picked((all, all), (0..64).map(|at| at % 4 * 16 + at / 4).collect())
        });
        let fours: Vec<Value> = fours.collect();
        // Within 128 bits: groups of four bytes of two registers take turns, then groups of eight.
        let unpacked = |this: &mut Self, a: Value, b: Value, group: i64, half: i64| {
            let place = |at: i64| {
                let (lane, within) = (at / 16 * 16, at % 16);
                let from = lane + 8 * half + within / (2 * group) * group + within % group;
                from + if within / group % 2 == 0 { 0 } else { 64 }
            };
            this.picked((a, b), (0..64).map(place).collect())
        };
        let pairs = [0, 2].map(|first| [0, 1].map(|half| unpacked(self, fours[first], fours[first + 1], 4, half)));
        let mut columns = vec![rows[0]; 16];
        for (at, (low, high)) in pairs[0].into_iter().zip(pairs[1]).enumerate() {
            for half in 0..2 {
                let four = unpacked(self, low, high, 8, half);
                for lane in 0..4 {
                    let place = (0..16).map(|byte| 16 * lane + byte).collect();
                    columns[4 * lane as usize + 2 * at + half as usize] = self.picked((four, four), place);
                }
            }
        }
        columns
    }

    /// Rows whose elements take turns: the first ones of all rows, the second ones, and so on, in as many rows. Of a square block, that is the
    /// transposed one. Where the rows are a power of two, those of the first half are interleaved with those of the second, as often as it takes:
    /// instructions do so within 128 bits, which is enough for rows of bytes.
    pub(crate) fn interleaved(&mut self, mut rows: Vec<Value>) -> Vec<Value> {
        let (count, lanes) = (rows.len(), lanes_of(rows[0]));
        if !count.is_power_of_two() {
            return (0..count).map(|k| self.taking_turns(&rows, k)).collect();
        }
        for _ in 0..count.ilog2() {
            let (first, second) = rows.split_at(count / 2);
            let pairs: Vec<_> = first.iter().copied().zip(second.iter().copied()).collect();
            rows = pairs
                .into_iter()
                .flat_map(|(a, b)| {
                    [0, lanes / 2].map(|start| {
                        let mask = (0..lanes).map(|k| (start + k / 2 + if k % 2 == 0 { 0 } else { lanes }) as i64);
                        self.shuffled((a, b), mask.collect())
                    })
                })
                .collect();
        }
        rows
    }

    /// The row `k` of the rows whose elements take turns, put together from one row after the other.
    fn taking_turns(&mut self, rows: &[Value], k: usize) -> Value {
        let (count, lanes) = (rows.len(), lanes_of(rows[0]));
        let mut result = rows[0];
        for (number, row) in rows.iter().enumerate().skip(1) {
            let pick = |lane: usize| {
                let at = k * lanes + lane;
                match (at % count).cmp(&number) {
                    Ordering::Less if number == 1 => at / count,
                    Ordering::Less => lane,
                    Ordering::Equal => lanes + at / count,
                    Ordering::Greater => 0,
                }
            };
            result = self.shuffled((result, *row), (0..lanes).map(|lane| pick(lane) as i64).collect());
        }
        result
    }

    /// The elements of two rows at these places, as many as there are.
    fn picked(&mut self, (a, b): (Value, Value), places: Vec<i64>) -> Value {
        let ty = Type::vector(places.len() as i64, a.ty().element());
        let mask = Attr::i64s(self.code.at.context(), &places);
        self.code.at.value("vector.shuffle", &[a, b], ty, &[("mask", mask)])
    }

    /// The elements of two rows at these places.
    fn shuffled(&mut self, (a, b): (Value, Value), places: Vec<i64>) -> Value {
        let mask = Attr::i64s(self.code.at.context(), &places);
        self.code.at.value("vector.shuffle", &[a, b], a.ty(), &[("mask", mask)])
    }
}

fn lanes_of(vector: Value) -> usize {
    vector.ty().shape()[0].expect("vectors have known sizes") as usize
}
