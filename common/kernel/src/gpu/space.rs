//! The kernels of GPUs as schedules have them: what is asked for, where it is legal, and what came of it with the
//! alternatives.
use super::choose::PartForm;
use super::contraction::Product;
use super::part_plan::PartPlan;
use super::tile::{Tile, TileRequest};
use crate::machine::gpu::THREADS_BY_SCHEDULE;
use crate::machine::products::MATRIX_DEPTHS;
use crate::schedule::Legal;
use crate::schedule::planner::Planner;
use halyard_ir::form::ScheduleSetting;

impl Planner<'_> {
    /// The threads of a workgroup where they are free: those that the schedule asks for, the same for all nests.
    pub(super) fn requested_threads(&mut self, nests: usize) -> i64 {
        let mut threads = self.gpu_model().threads.usual;
        for at in (0..nests).rev() {
            self.choices.reopen(Some(at));
            threads = self.choices.number("threads", threads, |n| THREADS_BY_SCHEDULE.contains(&n));
        }
        self.choices.reopen(None);
        threads
    }

    /// The tile of a product: with what the schedule says of it, and the rest as it fits best.
    pub(super) fn requested_product(&mut self, request: &TileRequest<'_>, product: &Product) -> Tile {
        let ours = Tile::choose(request);
        let keys = ["tile", "thread_tile", "k_block", "k_slices", "stages"];
        if keys.iter().all(|key| self.choices.requested(key).is_none()) {
            return ours;
        }
        let given = |tile: Tile| {
            let pair = |key: &str, ours: [i64; 2]| {
                let list = self.choices.numbers(key, ours.to_vec(), |list| list.len() == 2);
                [list[0], list[1]]
            };
            let number = |key: &str, ours: i64| self.choices.number(key, ours, |_| true);
            Tile {
                block: pair("tile", tile.block),
                thread: pair("thread_tile", tile.thread),
                depth: number("k_block", tile.depth),
                slices: number("k_slices", tile.slices),
                stages: number("stages", tile.stages),
                matrix: tile.matrix,
            }
        };
        let along = [0, 1].map(|s| product.sides[s].along_sum);
        let known = Tile::choose_of(request, |tile| given(*tile) == *tile);
        // Where no tile of the table has all of it, the one that is closest is changed.
        let near = known.or_else(|| Tile::choose_of(request, |tile| given(*tile).check(request, along).is_ok()));
        let tile = given(near.unwrap_or(ours));
        match tile.check(request, along) {
            Ok(()) => tile,
            Err(why) => {
                for key in keys {
                    self.choices.refuse(key, &why);
                }
                ours
            }
        }
    }

    /// Notes how a part is computed, by so many threads in a workgroup; gives the neighbours that a thread computes together.
    pub(super) fn record_form(&mut self, part: &PartPlan, form: &PartForm, threads: i64, fixed: bool) -> i64 {
        let name = match form {
            PartForm::Elements => "elements",
            PartForm::Product(..) => "product",
            PartForm::FusedAttention(_) => "fused_rows",
            PartForm::Rows(_) => "rows",
            PartForm::Transposition(_) => "transposition",
        };
        let mut families = vec![name];
        if name != "elements" {
            families.push("elements");
        }
        self.choices.record("family", ScheduleSetting::Word(name.into()), Legal::words(families));
        match form {
            PartForm::Elements => {
                let legal = self.legal_runs(part);
                let run = self.choices.number("per_thread", self.own_run(part), |run| legal.contains(&run));
                self.choices.record_number("per_thread", run, legal);
                let sizes = if fixed { vec![threads] } else { THREADS_BY_SCHEDULE.to_vec() };
                self.choices.record_number("threads", threads, sizes);
                return run;
            }
            PartForm::Product(product, tile) => self.record_tile(product, *tile),
            PartForm::FusedAttention(attention) => {
                self.choices.record_number("rows", attention.count(), (0..=5).map(|k| 1 << k));
                self.choices.record_number("threads", attention.threads(), [64, 128]);
            }
            PartForm::Rows(rows) => {
                let [sides, lanes] = rows.legal(self.gpu_model().rows.most_threads);
                self.choices.record_number("rows", rows.side, sides);
                self.choices.record_number("lanes", rows.lanes, lanes);
            }
            PartForm::Transposition(_) => {}
        }
        1
    }

    fn record_tile(&mut self, product: &Product, tile: Tile) {
        let pair = |of: [i64; 2]| ScheduleSetting::Numbers(of.to_vec());
        let sides = |all: &[i64]| Legal::Each(vec![all.to_vec(), all.to_vec()]);
        let gpu = self.gpu_model();
        let (blocks, threads): (&[i64], &[i64]) = match tile.matrix {
            true => (&[32, 64, 128, 256], &[2, 4, 8, 16]),
            false => (gpu.blocks_by_schedule, &[1, 2, 4, 8]),
        };
        self.choices.record("tile", pair(tile.block), sides(blocks));
        self.choices.record("thread_tile", pair(tile.thread), sides(threads));
        let depths = if tile.matrix { self.matrix_depths(product) } else { vec![4, 8, 16, 32] };
        self.choices.record_number("k_block", tile.depth, depths);
        if gpu.launch_memory {
            self.choices.record_number("k_slices", tile.slices, [1, 2, 4, 8]);
            let stages = if tile.matrix { vec![2, 3, 4, 5, 6] } else { vec![2] };
            self.choices.record_number("stages", tile.stages, stages);
        }
        if self.cores(product).is_some() {
            self.choices.record("tensor_cores", ScheduleSetting::Flag(tile.matrix), Legal::flags());
        }
    }
}

impl Planner<'_> {
    /// The depths of panels for tensor cores, in elements.
    fn matrix_depths(&self, product: &Product) -> Vec<i64> {
        let bytes = self.cores(product).map_or(1, |cores| cores.bytes());
        MATRIX_DEPTHS.iter().map(|depth| depth / bytes).collect()
    }
}

impl Tile {
    /// Whether kernels can be made with it, of operands whose neighbours in memory are along the sum or not. Errors: why not.
    pub(super) fn check(self, request: &TileRequest<'_>, along_sum: [bool; 2]) -> Result<(), String> {
        let gpu = request.gpu;
        for s in 0..2 {
            let (block, thread) = (self.block[s], self.thread[s]);
            if block % thread != 0 {
                return Err(format!("a tile of {block} is not made of whole tiles of {thread} for each thread"));
            }
            if thread > gpu.shared_run && thread % gpu.shared_run != 0 {
                return Err(format!("a thread's tile of {thread} is not made of neighbours four by four"));
            }
        }
        let (threads, slice) = (self.threads(), self.slice());
        if !(32..=256).contains(&threads) || threads % 32 != 0 {
            return Err(format!("a workgroup would have {threads} threads; it has 32, 64 and so on up to 256"));
        }
        let budget = gpu.panel_bytes_by_schedule;
        if self.shared(request.bytes) > budget {
            return Err(format!(
                "it takes {} bytes of shared memory, and a workgroup has at most {budget}",
                self.shared(request.bytes)
            ));
        }
        let area = self.thread[0] * self.thread[1];
        if self.matrix {
            return self.check_fragments(request);
        }
        if self.stages != 2 {
            return Err("there are two stages without tensor cores".to_owned());
        }
        if !gpu.launch_memory && self.slices != 1 {
            return Err(format!("the sum is not divided on {}", gpu.name));
        }
        if self.slices > 1 && slice % 32 != 0 {
            return Err(format!("a slice of the sum would have {slice} threads, which are not whole warps"));
        }
        if area > gpu.thread_sums || area * self.depth > 1024 {
            return Err(format!("a thread would have {area} sums and {} products in a step", area * self.depth));
        }
        for s in 0..2 {
            let (block, depth) = (self.block[s], self.depth);
            let run = if along_sum[s] { depth } else { block };
            if block * depth % slice != 0 || slice % run != 0 {
                return Err(format!(
                    "{slice} threads cannot share a strip of {block} x {depth} evenly: each line of {run} has whole threads"
                ));
            }
        }
        Ok(())
    }

    /// The same on tensor cores.
    fn check_fragments(self, request: &TileRequest<'_>) -> Result<(), String> {
        let depths = MATRIX_DEPTHS.map(|bytes| bytes / request.bytes);
        if !depths.contains(&self.depth) {
            return Err(format!("a strip for tensor cores is {} or {} deep", depths[0], depths[1]));
        }
        if ![1, 2, 4, 8].contains(&self.slices) {
            return Err("a sum has 1, 2, 4 or 8 slices on tensor cores".to_owned());
        }
        if !(2..=6).contains(&self.stages) {
            return Err("there are two to six stages".to_owned());
        }
        let [r, c] = self.thread;
        if ![2, 4, 8].contains(&r) || ![4, 8, 16].contains(&c) {
            return Err("a thread has 2, 4 or 8 rows and 4, 8 or 16 columns on tensor cores".to_owned());
        }
        let warp = [8 * r, 4 * c];
        if (0..2).any(|s| self.block[s] % warp[s] != 0) {
            return Err(format!("on tensor cores, a tile is made of whole warp tiles of {} x {}", warp[0], warp[1]));
        }
        let most = super::tiles::most_in_registers(request);
        if r * c > most {
            return Err(format!("a thread would have {} sums; {most} leave room for operands on their way", r * c));
        }
        let threads = self.slice();
        for side in self.block {
            for (lines, chunks) in [(side, self.depth * request.bytes / 16), (self.depth, side * request.bytes / 16)] {
                if chunks == 0 || lines * chunks % threads != 0 || threads % chunks != 0 {
                    return Err(format!("{threads} threads cannot share a strip of {side} x {} evenly", self.depth));
                }
            }
        }
        Ok(())
    }
}
