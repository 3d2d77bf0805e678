//! Fragments of matrices in the registers of a warp, as `mma.sync` of PTX wants them.
//!
//! Whatever the type, a fragment of the rows is 16 rows of 32 bytes in four registers, one of the columns 8 columns of 32
//! bytes in two: matrices of 8 lines of 16 bytes, of which lane `n` has bytes `4 (n % 4)` to `4 (n % 4) + 3` of line
//! `n / 4`. `ldmatrix` loads four such matrices where lines run along the sum, and turns around those of 16 bits where they
//! do not. Wider and narrower elements that do not lie along the sum are loaded one by one.
use super::matmul::Work;
use super::matrix::Cores;
use super::tiles::Tile;
use crate::Emitter;
use crate::index::Index;
use halyard_ir::{Attr, Type, Value};

/// Where the matrices are that a lane loads or helps to load, within a panel: for each step and each 16 rows or columns,
/// one place for `ldmatrix` or those of all elements.
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

    /// The line of one of four matrices that this lane tells to `ldmatrix`.
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
        let mut registers = Vec::new();
        for (s, places) in places.iter().enumerate() {
            for block in &places[(step / cores.step()) as usize] {
                let words = match block.as_slice() {
                    &[place] => {
                        let place = self.panel_place(work, cores, s, stage, place);
                        self.load_matrices(place, !work.product.sides[s].along_sum)
                    }
                    all => self.load_elements(work, cores, s, stage, all),
                };
                registers.extend(words.map(|word| if cores.names[0] == "tf32" { self.as_tf32(word) } else { word }));
            }
        }
        registers
    }

    /// `ldmatrix`: four matrices as words.
    fn load_matrices(&mut self, place: Value, transposed: bool) -> [Value; 4] {
        let context = self.code.at.context();
        let attr = |text: &str| Attr::parse(context, text).expect("an attribute of NVVM");
        let attrs = [
            ("num", Attr::integer(self.code.int(32), 4)),
            ("layout", attr(if transposed { "#nvvm.mma_layout<col>" } else { "#nvvm.mma_layout<row>" })),
            ("shape", attr("#nvvm.ld_st_matrix_shape<m = 8, n = 8>")),
            ("eltType", attr("#nvvm.ld_st_matrix_elt_type<b16>")),
        ];
        let four = Type::parse(context, "!llvm.struct<(i32, i32, i32, i32)>").expect("a type of LLVM's dialect");
        let all = self.code.at.value("nvvm.ldmatrix", &[place], four, &attrs);
        let i32 = self.code.int(32);
        [0, 1, 2, 3].map(|n| self.part(all, n, i32))
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

    /// An `f32` rounded to the nearest `tf32`.
    fn as_tf32(&mut self, word: Value) -> Value {
        let context = self.code.at.context();
        let value = self.code.at.value("llvm.bitcast", &[word], Type::f32(context), &[]);
        let nearest = Attr::parse(context, "#nvvm.fp_rnd_mode<rna>").expect("an attribute of NVVM");
        self.code.at.value("nvvm.convert.float.to.tf32", &[value], self.code.int(32), &[("rnd", nearest)])
    }

    fn part(&mut self, all: Value, n: i64, ty: Type) -> Value {
        let position = Attr::i64s(self.code.at.context(), &[n]);
        self.code.at.value("llvm.extractvalue", &[all], ty, &[("position", position)])
    }

    /// Adds the products of a step to the totals.
    pub(super) fn multiply_step(&mut self, work: &Work<'_>, cores: Cores, loaded: &[Value], totals: &mut [Value]) {
        let columns = work.tile.thread[1] as usize;
        let (rows, rest) = loaded.split_at(work.tile.thread[0] as usize * 2);
        for (i, a) in rows.chunks(4).enumerate() {
            for (j, b) in rest.chunks(2).enumerate() {
                let places = [0, 1, columns, columns + 1].map(|at| 2 * i * columns + 2 * j + at);
                let sums = places.map(|at| totals[at]);
                let sums = self.multiply_fragment(cores, a, b, &sums);
                for (at, sum) in places.into_iter().zip(sums) {
                    totals[at] = sum;
                }
            }
        }
    }

    /// `mma.sync`.
    fn multiply_fragment(&mut self, cores: Cores, a: &[Value], b: &[Value], sums: &[Value; 4]) -> [Value; 4] {
        let context = self.code.at.context();
        let attr = |text: &str| Attr::parse(context, text).expect("an attribute of NVVM");
        let kind = |s: usize| attr(&format!("#nvvm.mma_type<{}>", cores.names[s]));
        let mut attrs = vec![
            ("layoutA", attr("#nvvm.mma_layout<row>")),
            ("layoutB", attr("#nvvm.mma_layout<col>")),
            ("multiplicandAPtxType", kind(0)),
            ("multiplicandBPtxType", kind(1)),
            ("operandSegmentSizes", attr("array<i32: 4, 2, 4>")),
            ("shape", attr(&format!("#nvvm.shape<m = 16, n = 8, k = {}>", cores.step()))),
        ];
        if cores.bytes() == 1 {
            attrs.push(("intOverflowBehavior", attr("#nvvm.mma_int_overflow<wrapped>")));
        }
        // Pairs of `f16` are vectors, all others words.
        let pair = (cores.names[0] == "f16").then(|| Type::vector(2, cores.elem));
        let factors: Vec<Value> = a.iter().chain(b).copied().collect();
        let operands: Vec<Value> = factors
            .into_iter()
            .map(|word| pair.map_or(word, |pair| self.code.at.value("llvm.bitcast", &[word], pair, &[])))
            .chain(sums.iter().copied())
            .collect();
        let sum = sums[0].ty();
        let four = format!("!llvm.struct<({sum}, {sum}, {sum}, {sum})>");
        let four = Type::parse(context, &four).expect("a type of LLVM's dialect");
        let all = self.code.at.value("nvvm.mma.sync", &operands, four, &attrs);
        [0, 1, 2, 3].map(|n| self.part(all, n, sum))
    }
}
