//! Loads of whole blocks: where neighbouring points read across the rows of a block, its rows are loaded and transposed
//! in registers.
use crate::Emitter;
use crate::emit::index::{LaneIndex, Lanes, Point};
use crate::graph::Memory;
use halyard_ir::{Attr, Value};

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

    /// A square block in registers, transposed: blocks of half the size change places, then theirs, and so on.
    pub(crate) fn transposed(&mut self, mut rows: Vec<Value>) -> Vec<Value> {
        let lanes = rows.len();
        if rows.first().is_some_and(|row| row.ty().is_vector() && row.ty().element().bits() == 8) {
            return self.interleaved(rows);
        }
        let context = self.code.at.context();
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
                let first = Attr::i64s(context, &pick(true));
                let second = Attr::i64s(context, &pick(false));
                rows[at] = self.code.at.value("vector.shuffle", &[a, b], a.ty(), &[("mask", first)]);
                rows[at + half] = self.code.at.value("vector.shuffle", &[a, b], a.ty(), &[("mask", second)]);
            }
            half /= 2;
        }
        rows
    }

    /// The same by interleaving rows of the first half with those of the second, as often as it takes: instructions do so within 128
    /// bits, which is enough for rows of bytes.
    fn interleaved(&mut self, mut rows: Vec<Value>) -> Vec<Value> {
        let lanes = rows.len();
        let context = self.code.at.context();
        for _ in 0..lanes.ilog2() {
            let (first, second) = rows.split_at(lanes / 2);
            let pairs: Vec<_> = first.iter().copied().zip(second.iter().copied()).collect();
            rows = pairs
                .into_iter()
                .flat_map(|(a, b)| {
                    [0, lanes / 2].map(|start| {
                        let mask: Vec<i64> =
                            (0..lanes).map(|k| (start + k / 2 + if k % 2 == 0 { 0 } else { lanes }) as i64).collect();
                        let mask = Attr::i64s(context, &mask);
                        self.code.at.value("vector.shuffle", &[a, b], a.ty(), &[("mask", mask)])
                    })
                })
                .collect();
        }
        rows
    }
}
