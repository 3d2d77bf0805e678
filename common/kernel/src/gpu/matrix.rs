//! Products of matrices on tensor cores.
//!
//! A warp has a tile of fragments of 16 x 8 with a depth of 32 bytes, see [`super::fragments`]. What it
//! multiplies stands in panels in shared memory, see [`super::operand_panels`]; several of them, so that those to come are on
//! their way while one is worked on. The fragments of a step are loaded while those of the step before are multiplied, also
//! from one panel to the next.
use super::matmul::Work;
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use crate::machine::tensor_cores::Cores;
use halyard_ir::Value;

impl Emitter<'_> {
    /// The loop over panels.
    pub(super) fn add_up_fragments(
        &mut self,
        work: &Work<'_>,
        cores: Cores,
        totals: Vec<Value>,
    ) -> Supported<Vec<Value>> {
        let (count, depth) = (totals.len(), work.tile.depth);
        let (stages, together) = (work.tile.stages, depth * work.tile.slices);
        let start = self.code.mul(work.slice, Index::constant(depth));
        let streams = [0, 1].map(|s| self.view().streamed(work.product, cores, s));
        for stage in 0..stages - 1 {
            let from = start.plus(stage * together);
            let materialized = self.begin_panels(work, cores, &streams, from, Index::constant(stage))?;
            self.keep_materialized(work, cores, Index::constant(stage), materialized);
        }
        cores.instructions.wait_for_copies(&self.code, stages - 2);
        self.barrier();
        let places = [0, 1].map(|s| self.matrix_places(work, cores, s));
        let first = self.load_step(work, cores, &places, Index::ZERO, 0);
        let zero = self.code.index_constant(0);
        let carried: Vec<Value> = totals.into_iter().chain(first).chain([zero]).collect();
        let after =
            self.for_loop((Index::ZERO, work.sum, Index::constant(together)), &carried, |this, from, carried| {
                let stage = Index::value(carried[carried.len() - 1]);
                let mut loaded = carried[count..carried.len() - 1].to_vec();
                let mut totals = carried[..count].to_vec();
                // Into the panel that was read last: all were done with it at the last barrier.
                let write = this.stage_after(stage, stages - 1, stages);
                let next = this.stage_after(stage, 1, stages);
                let mut materialized = None;
                for step in (0..depth).step_by(cores.step() as usize) {
                    let last = step + cores.step() >= depth;
                    // Fragments are asked for before copies begin: nothing is reordered with these.
                    let following = (!last).then(|| this.load_step(work, cores, &places, stage, step + cores.step()));
                    if step == 0 {
                        let from = this.code.add(from, start).plus((stages - 1) * together);
                        materialized = Some(this.begin_panels(work, cores, &streams, from, write)?);
                    }
                    let following = match following {
                        Some(following) => following,
                        None => {
                            this.keep_materialized(work, cores, write, materialized.take().unwrap_or_default());
                            // All but the youngest are there.
                            cores.instructions.wait_for_copies(&this.code, stages - 2);
                            this.barrier();
                            this.load_step(work, cores, &places, next, 0)
                        }
                    };
                    this.multiply_step(work, cores, &loaded, &mut totals);
                    loaded = following;
                }
                totals.extend(loaded);
                totals.push(this.code.ix(next));
                Ok(totals)
            })?;
        // Nothing may be on its way into shared memory when the block ends.
        cores.instructions.wait_for_copies(&self.code, 0);
        Ok(after[..count].to_vec())
    }

    /// A number below `of`, some further on, and around.
    fn stage_after(&mut self, at: Index, by: i64, of: i64) -> Index {
        let back = self.code.ix(at.plus(by - of));
        let (plain, last) = (self.code.ix(at.plus(by)), self.code.ix(at));
        let edge = self.code.index_constant(of - by);
        let before = self.code.compare(2, last, edge);
        Index::value(self.code.select(before, plain, back))
    }

    /// Begins to bring the panels from a step of the sum on. Those that are copied as they lie are on their way into a
    /// stage then; what is materialized is given, for each operand.
    fn begin_panels(
        &mut self,
        work: &Work<'_>,
        cores: Cores,
        streams: &[Option<Memory>; 2],
        from: Index,
        stage: Index,
    ) -> Supported<[Vec<Value>; 2]> {
        let mut materialized = [Vec::new(), Vec::new()];
        for (s, memory) in streams.iter().enumerate() {
            match memory {
                Some(memory) => self.begin_copies(work, cores, (s, memory), from, stage)?,
                None => materialized[s] = self.materialize_panel(work, cores, s, from)?,
            }
        }
        cores.instructions.close_copies(&self.code);
        Ok(materialized)
    }
}
