//! Fragments of matrices in the registers of a warp, as [`TensorCores`](crate::machine::tensor_cores) wants them.
//!
//! One instruction loads four matrices where lines run along the sum, and transposes those of 16 bits where they do not.
//! Wider and narrower elements that do not lie along the sum are loaded one by one.
use super::matmul::Work;
use super::tile::Tile;
use crate::Emitter;
use crate::emit::index::Index;
use crate::machine::tensor_cores::{Cores, Factor};
use halyard_ir::{Attr, Value};

/// Where the matrices are that a lane loads or helps to load, within a panel: for each step and each 16 rows or columns,
/// one place of a line or those of all elements.
pub(super) type Places = Vec<Vec<Vec<Index>>>;

impl Emitter<'_> {
    /// The rows (0) or columns (1) of a thread within the block, as fragments have them.
    pub(super) fn fragment_places(&mut self, tile: Tile, thread: Index, s: usize) -> Vec<Index> {
        let warp = self.warp_place(tile, thread, s);
        let lane = self.code.divide("arith.remui", thread, Index::constant(32));
        let quad = if s == 0 {
            self.code.divide("arith.divui", lane, Index::constant(4))
        } else {
            let pair = self.code.divide("arith.remui", lane, Index::constant(4));
            self.code.mul(pair, Index::constant(2))
        };
        let base = self.code.add(warp, quad);
        (0..tile.thread[s]).map(|i| if s == 0 { base.plus(8 * i) } else { base.plus(i / 2 * 8 + i % 2) }).collect()
    }

    /// Where the tile of a warp begins within the block.
    fn warp_place(&mut self, tile: Tile, thread: Index, s: usize) -> Index {
        let warp = self.code.divide("arith.divui", thread, Index::constant(32));
        let across = Index::constant(tile.block[1] / (tile.thread[1] * 4));
        let at = self.code.divide(if s == 0 { "arith.divui" } else { "arith.remui" }, warp, across);
        self.code.mul(at, Index::constant(tile.thread[s] * if s == 0 { 8 } else { 4 }))
    }

    /// Where the matrices of an operand are.
    pub(super) fn matrix_places(&mut self, work: &Work<'_>, cores: Cores, s: usize) -> Places {
        let (tile, panel) = (work.tile, work.panel(cores, s));
        let warp = self.warp_place(tile, work.thread, s);
        let blocks = tile.thread[s] * if s == 0 { 8 } else { 4 } / 16;
        let steps = (0..tile.depth).step_by(cores.step() as usize);
        let lane = self.code.divide("arith.remui", work.thread, Index::constant(32));
        let mut places = Vec::new();
        for step in steps {
            let mut of_step = Vec::new();
            for block in 0..blocks {
                of_step.push(if panel.by_matrices {
                    vec![self.line_of_matrix(work, cores, s, (warp.plus(16 * block), step), lane)]
                } else {
                    self.elements_of_matrices(work, cores, s, (warp.plus(16 * block), step), lane)
                });
            }
            places.push(of_step);
        }
        places
    }

    /// The line of one of four matrices that this lane gives the place of.
    fn line_of_matrix(
        &mut self,
        work: &Work<'_>,
        cores: Cores,
        s: usize,
        (own, step): (Index, i64),
        lane: Index,
    ) -> Index {
        let row = self.code.divide("arith.remui", lane, Index::constant(8));
        let [second, fourth] = [8, 16].map(|by| {
            let bit = self.code.divide("arith.divui", lane, Index::constant(by));
            self.code.divide("arith.remui", bit, Index::constant(2))
        });
        // Of four matrices, the second differs in rows and the third in depth; for the columns it is the other way.
        let (across, deep) = if s == 0 { (second, fourth) } else { (fourth, second) };
        let (panel, run) = (work.panel(cores, s), cores.run());
        if panel.along {
            let eight = self.code.mul(across, Index::constant(8));
            let own = self.code.add(own, eight);
            let line = self.code.add(own, row);
            self.chunk_place(cores, panel, line, deep.plus(step / run))
        } else {
            let eight = self.code.mul(deep, Index::constant(8));
            let line = self.code.add(eight, row).plus(step);
            let chunk = self.code.divide("arith.divui", own, Index::constant(run));
            let chunk = self.code.add(chunk, across);
            self.chunk_place(cores, panel, line, chunk)
        }
    }

    /// The elements of four matrices that this lane has, of an operand whose lines do not run along the sum.
    fn elements_of_matrices(
        &mut self,
        work: &Work<'_>,
        cores: Cores,
        s: usize,
        (own, step): (Index, i64),
        lane: Index,
    ) -> Vec<Index> {
        let (panel, run, per) = (work.panel(cores, s), cores.run(), cores.per_word());
        let group = self.code.divide("arith.divui", lane, Index::constant(4));
        let word = self.code.divide("arith.remui", lane, Index::constant(4));
        let first = self.code.mul(word, Index::constant(per));
        let mut places = Vec::new();
        for matrix in 0..4 {
            let (across, deep) = if s == 0 { (matrix % 2, matrix / 2) } else { (matrix / 2, matrix % 2) };
            for e in 0..per {
                let line = first.plus(step + deep * 4 * per + e);
                let at = self.code.add(own, group).plus(8 * across);
                let chunk = self.code.divide("arith.divui", at, Index::constant(run));
                let within = self.code.divide("arith.remui", at, Index::constant(run));
                let place = self.chunk_place(cores, panel, line, chunk);
                places.push(self.code.add(place, within));
            }
        }
        places
    }

    /// The registers of all fragments of a step.
    pub(super) fn load_step(
        &mut self,
        work: &Work<'_>,
        cores: Cores,
        places: &[Places; 2],
        stage: Index,
        step: i64,
    ) -> Vec<Value> {
        let instructions = cores.instructions;
        let mut registers = Vec::new();
        for (s, places) in places.iter().enumerate() {
            for block in &places[(step / cores.step()) as usize] {
                let words = match block.as_slice() {
                    &[place] => {
                        let place = self.panel_place(work, cores, s, stage, place);
                        instructions.load_matrices(&self.code, place, !work.product.sides[s].along_sum)
                    }
                    all => self.load_elements(work, cores, s, stage, all),
                };
                let rounded = cores.formats[0] == Factor::Tf32;
                registers.extend(words.map(|word| if rounded { instructions.as_tf32(&self.code, word) } else { word }));
            }
        }
        registers
    }

    /// Four matrices as words, element by element.
    fn load_elements(&mut self, work: &Work<'_>, cores: Cores, s: usize, stage: Index, places: &[Index]) -> [Value; 4] {
        let i32 = self.code.int(32);
        let per = cores.per_word() as usize;
        [0, 1, 2, 3].map(|matrix| {
            let mut word: Option<Value> = None;
            for (e, &place) in places[matrix * per..(matrix + 1) * per].iter().enumerate() {
                let place = self.panel_place(work, cores, s, stage, place);
                let alignment = self.code.alignment(cores.elem);
                let value = self.code.at.value("llvm.load", &[place], cores.elem, &[alignment]);
                if per == 1 {
                    return self.code.at.value("llvm.bitcast", &[value], i32, &[]);
                }
                let wide = self.code.at.value("arith.extui", &[value], i32, &[]);
                let by = self.code.constant(Attr::integer(i32, 8 * e as i64));
                let moved = if e == 0 { wide } else { self.code.at.value("arith.shli", &[wide, by], i32, &[]) };
                word = Some(match word {
                    Some(word) => self.code.at.value("arith.ori", &[word, moved], i32, &[]),
                    None => moved,
                });
            }
            word.expect("a word has elements")
        })
    }

    /// Adds the products of a step to the totals.
    pub(super) fn multiply_step(&mut self, work: &Work<'_>, cores: Cores, loaded: &[Value], totals: &mut [Value]) {
        let columns = work.tile.thread[1] as usize;
        let (rows, rest) = loaded.split_at(work.tile.thread[0] as usize * 2);
        for (i, a) in rows.chunks(4).enumerate() {
            for (j, b) in rest.chunks(2).enumerate() {
                let places = [0, 1, columns, columns + 1].map(|at| 2 * i * columns + 2 * j + at);
                let sums = places.map(|at| totals[at]);
                let sums = cores.instructions.multiply(&self.code, cores, [a, b], &sums);
                for (at, sum) in places.into_iter().zip(sums) {
                    totals[at] = sum;
                }
            }
        }
    }
}
