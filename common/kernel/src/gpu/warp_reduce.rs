//! Reductions across the lanes of a row: one number of what each has.
use super::rows::Lane;
use crate::Emitter;
use crate::analysis::combiner::Combiner;
use crate::emit::index::Index;
use crate::emit::ir_builder::Supported;
use halyard_ir::Value;

impl Emitter<'_> {
    /// Combines what the lanes of a row have; every lane gets the result. All threads of the workgroup must come.
    pub(super) fn combine_lanes(&mut self, combiner: Combiner, value: Value, lane: Lane) -> Supported<Value> {
        let ty = value.ty();
        let mut value = value;
        let mut apart = 1;
        let gpu = self.gpu_model();
        if let Some(shuffle) = gpu.shuffle.filter(|_| lane.step == 1 && ty.bits() == 32 && !ty.is_index()) {
            while apart < lane.lanes.min(gpu.threads.warp) {
                let other = shuffle(&mut self.code, value, apart);
                value = self.combined(combiner, value, other)?;
                apart *= 2;
            }
        }
        if apart >= lane.lanes {
            return Ok(value);
        }
        if apart == gpu.threads.warp {
            return self.combine_warps(combiner, value, lane);
        }
        let stored = self.word_of(ty);
        let place = self.shared(stored, lane.threads);
        let kept = self.to_word(value);
        self.code.write(place, lane.thread, kept);
        // Lanes `apart` from each other still differ.
        let mut half = lane.lanes / 2;
        while half >= apart {
            self.barrier();
            let (a, b) = (self.code.ix(lane.lane), self.code.index_constant(half));
            let busy = self.code.compare(2, a, b);
            self.when(busy, |this| {
                let own = this.code.read(place, lane.thread, stored);
                let other = this.code.read(place, lane.thread.plus(half * lane.step), stored);
                let (own, other) = (this.from_word(own, ty), this.from_word(other, ty));
                let both = this.combined(combiner, own, other)?;
                let both = this.to_word(both);
                this.code.write(place, lane.thread, both);
                Ok(())
            })?;
            half /= 2;
        }
        self.barrier();
        let skipped = self.code.mul(lane.lane, Index::constant(lane.step));
        let first = self.code.sub(lane.thread, skipped);
        let total = self.code.read(place, first, stored);
        Ok(self.from_word(total, ty))
    }

    /// Combines what the warps of a row have, in pairs; all lanes of a warp have the same. Every lane gets the result.
    fn combine_warps(&mut self, combiner: Combiner, value: Value, lane: Lane) -> Supported<Value> {
        let ty = value.ty();
        let stored = self.word_of(ty);
        let warp = self.gpu_model().threads.warp;
        let place = self.shared(stored, lane.threads / warp);
        let within = self.code.divide("arith.remui", lane.thread, Index::constant(warp));
        let own = self.code.divide("arith.divui", lane.thread, Index::constant(warp));
        let (within, none) = (self.code.ix(within), self.code.index_constant(0));
        let first = self.code.compare(0, within, none);
        // In a loop, all have read what the last step left.
        self.barrier();
        self.when(first, |this| {
            let kept = this.to_word(value);
            this.code.write(place, own, kept);
            Ok(())
        })?;
        self.barrier();
        let before = self.code.sub(lane.thread, lane.lane);
        let before = self.code.divide("arith.divui", before, Index::constant(warp));
        let mut values = Vec::new();
        for number in 0..lane.lanes / warp {
            let word = self.code.read(place, before.plus(number), stored);
            values.push(self.from_word(word, ty));
        }
        while values.len() > 1 {
            let pairs = values.chunks(2).map(|pair| match *pair {
                [a, b] => self.combined(combiner, a, b),
                _ => Ok(pair[0]),
            });
            values = pairs.collect::<Supported<_>>()?;
        }
        Ok(values[0])
    }

    /// Two numbers as one, with the edges of the machine's operation.
    pub(super) fn combined(&mut self, combiner: Combiner, a: Value, b: Value) -> Supported<Value> {
        Ok(match self.gpu_form(combiner.name(), &[a, b])? {
            Some(value) => value,
            None => combiner.apply(&mut self.code, a, b),
        })
    }
}
