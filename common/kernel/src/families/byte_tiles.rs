//! Matrices of bytes in tile registers (AMX): one instruction adds the products of 16 rows and 16 columns, of up to 64 bytes each, to 256 sums.
//!
//! The columns are packed as for `vpdpbusd`: those of four bytes of a step side by side. A kernel has eight registers: four with sums, one each for
//! rows and columns, and two more for the last step of a sum, which may be shorter: the sizes of registers do not change while a kernel runs.
//! Intel, Architecture Instruction Set Extensions Programming Reference, chapter 3.
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Memory;
use halyard_ir::{Attr, Value};

/// Rows of a register, its columns of sums, and the groups of four bytes of a step.
pub(super) const TILE: i64 = 16;
/// The bytes of a row of a register.
const ROW: i64 = 64;
/// Registers with rows and columns of a whole step, and of the last one.
const WHOLE: [i64; 2] = [4, 5];
const REST: [i64; 2] = [6, 7];

/// Part of a sum: sixteen groups, or those that are left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Whole,
    Rest,
}

/// Two factors, and how many registers their sums fill: so many down and across, one or two each.
pub(super) struct TileProduct<'m> {
    /// Rows in groups of bytes, and the groups from one to the next.
    pub(super) rows: (&'m Memory, i64),
    /// Columns in groups of bytes, and those from the groups of all columns to the next ones.
    pub(super) columns: (&'m Memory, i64),
    pub(super) tiles: [i64; 2],
}

impl Emitter<'_> {
    /// Sets the sizes of the registers, for rows of so many groups.
    pub(super) fn set_tiles(&mut self, groups: i64) {
        let rest = groups % TILE;
        let (mut widths, mut heights) = ([ROW; 8], [TILE; 8]);
        if rest > 0 {
            (widths[REST[0] as usize], heights[REST[1] as usize]) = (4 * rest, rest);
        }
        // A palette of 1, and from byte 16 on the bytes of rows, 16 bits each, from byte 48 on the numbers of rows.
        let mut bytes = [0u8; 64];
        bytes[0] = 1;
        for at in 0..8 {
            bytes[16 + 2 * at] = widths[at] as u8;
            bytes[48 + at] = heights[at] as u8;
        }
        let i64 = self.code.i64();
        let ptr = self.code.stack(i64, 8);
        let memory = self.code.contiguous(ptr, i64, &[Index::constant(8)]);
        for (at, word) in bytes.chunks(8).enumerate() {
            let word = i64::from_le_bytes(word.try_into().expect("eight bytes"));
            let word = self.code.i64_constant(word);
            let to = self.code.address(&memory, Index::constant(at as i64));
            self.code.at.op("llvm.store", &[word, to], &[], &[]);
        }
        self.tile_operation("ldtilecfg", &[ptr]);
    }

    /// Empties the registers, so that they are no longer saved when threads change.
    pub(super) fn release_tiles(&mut self) {
        self.tile_operation("tilerelease", &[]);
    }

    /// Starts all sums of so many registers from zero.
    pub(super) fn clear_tiles(&mut self, [down, across]: [i64; 2]) {
        for (row, column) in each(down, across) {
            let sum = self.tile(sum_of(row, column));
            self.tile_operation("tilezero", &[sum]);
        }
    }

    /// Goes through the steps of rows of so many groups: `body` has the first group.
    pub(super) fn tile_steps(
        &mut self,
        groups: i64,
        body: impl Fn(&mut Self, Index, Step) -> Supported<()>,
    ) -> Supported<()> {
        let whole = groups / TILE * TILE;
        self.for_loop((Index::ZERO, Index::constant(whole), Index::constant(TILE)), &[], |this, from, _| {
            body(this, from, Step::Whole).map(|()| Vec::new())
        })?;
        if whole < groups {
            self.code_scoped(|this| body(this, Index::constant(whole), Step::Rest))?;
        }
        Ok(())
    }

    /// Adds the products of a step of the rows at `x` and of the columns at `w`. One register has all rows in turn, and one all columns: CPUs rename
    /// them, so that loads do not wait for products (measured, 2026-12-01).
    pub(super) fn add_step(&mut self, product: &TileProduct<'_>, [x, w]: [Index; 2], step: Step) {
        let [rows, columns] = if step == Step::Whole { WHOLE } else { REST };
        let [down, across] = product.tiles;
        for row in 0..down {
            self.load_tile(rows, product.rows, x.plus(row * TILE * product.rows.1));
            // The last columns are there for the next rows.
            let order: Vec<i64> = if row == 0 { (0..across).collect() } else { (0..across).rev().collect() };
            for (number, column) in order.into_iter().enumerate() {
                if row == 0 || number > 0 {
                    self.load_tile(columns, product.columns, w.plus(column * TILE));
                }
                let operands = [sum_of(row, column), rows, columns].map(|register| self.tile(register));
                self.tile_operation("tdpbusd", &operands);
            }
        }
    }

    fn load_tile(&mut self, register: i64, (memory, pitch): (&Memory, i64), at: Index) {
        let (register, ptr, pitch) =
            (self.tile(register), self.code.address(memory, at), self.code.i64_constant(4 * pitch));
        self.tile_operation("tileloadd64", &[register, ptr, pitch]);
    }

    /// Stores all sums of so many registers in rows of which one begins so many elements after the other.
    pub(super) fn store_tiles(&mut self, [down, across]: [i64; 2], (memory, at, pitch): (&Memory, Index, i64)) {
        for (row, column) in each(down, across) {
            let ptr = self.code.address(memory, at.plus(row * TILE * pitch + column * TILE));
            let (register, pitch) = (self.tile(sum_of(row, column)), self.code.i64_constant(4 * pitch));
            self.tile_operation("tilestored64", &[register, ptr, pitch]);
        }
    }

    /// The number of a register, as instructions have it.
    fn tile(&mut self, register: i64) -> Value {
        let byte = self.code.int(8);
        self.code.number(byte, register as f64)
    }

    fn tile_operation(&mut self, name: &str, operands: &[Value]) {
        let context = self.code.at.context();
        let array = |text: &str| Attr::parse(context, text).expect("an array");
        let attrs = [
            ("intrin", Attr::string(context, &format!("llvm.x86.{name}"))),
            ("operandSegmentSizes", array(&format!("array<i32: {}, 0>", operands.len()))),
            ("op_bundle_sizes", array("array<i32>")),
        ];
        self.code.at.op("llvm.call_intrinsic", operands, &[], &attrs);
    }
}

/// The register of the sums of some rows and columns.
fn sum_of(row: i64, column: i64) -> i64 {
    2 * row + column
}

fn each(down: i64, across: i64) -> impl Iterator<Item = (i64, i64)> {
    (0..down).flat_map(move |row| (0..across).map(move |column| (row, column)))
}
