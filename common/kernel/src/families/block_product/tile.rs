//! Tiles of sums whose activations are digits: whole numbers within a few steps, floats between them.
use super::emit::{Place, Work};
use super::form::Zero;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::machine::dot_products::Instruction;
use halyard_ir::{Type, Value};

impl Emitter<'_> {
    /// The sums of some rows with some vectors of a panel, row by row.
    pub(super) fn digit_sums(
        &mut self,
        w: &Work<'_>,
        place: &Place,
        (instruction, digits): (Instruction, i64),
    ) -> Supported<Vec<Value>> {
        let form = &w.plan.form;
        let (float, count) = (Type::f32(self.code.at.context()), form.count());
        let zero = self.code.number(float, 0.0);
        let start = vec![self.code.splat(zero); place.rows as usize * place.vectors.len()];
        // One row has registers to spare for the upper halves of bytes, which then need no shift.
        let apart = form.bits == 4 && place.rows == 1 && instruction == Instruction::Bytes;
        self.for_loop((Index::ZERO, Index::constant(count), Index::constant(1)), &start, |this, at, sums| {
            let totals = this.whole_sums(w, place, at, (instruction, digits), apart);
            let own = this.code.divide("arith.divui", at, Index::constant(form.block / form.step()));
            let record = this.code.mul(at, Index::constant(w.record));
            let mut next = Vec::with_capacity(sums.len());
            let blocks: Vec<_> =
                place.vectors.iter().map(|&v| this.of_block(w, place.panel, own, v)).collect::<Supported<_>>()?;
            for row in 0..place.rows {
                let base = this.code.add(place.record(w, row), record);
                let scale = this.broadcast_float(w, base.plus(w.starts - 1));
                let total =
                    (!matches!(form.zero, Zero::Constant(_))).then(|| this.broadcast_float(w, base.plus(w.starts)));
                for (at, (of_block, zero)) in blocks.iter().enumerate() {
                    let index = row as usize * blocks.len() + at;
                    let mut sum = this.joined_digits(&totals[index]);
                    if let (Some(zero), Some(total)) = (zero, total) {
                        let minus = this.code.math("arith.negf", &[*zero]);
                        sum = this.multiply_add(minus, total, sum);
                    }
                    let factor = this.code.math("arith.mulf", &[*of_block, scale]);
                    next.push(this.multiply_add(sum, factor, sums[index]));
                }
            }
            Ok(next)
        })
    }

    /// The sums of one step of the loop, digit by digit, of each row and vector.
    fn whole_sums(
        &mut self,
        w: &Work<'_>,
        place: &Place,
        at: Index,
        (instruction, digits): (Instruction, i64),
        apart: bool,
    ) -> Vec<Vec<Value>> {
        let form = &w.plan.form;
        let int = self.code.int(32);
        let number = |this: &mut Self, n: i64| {
            let n = this.code.number(int, n as f64);
            this.code.splat(n)
        };
        let (zero, four) = (number(self, 0), number(self, 4));
        // Of each byte.
        let ones = (1 << form.bits.min(4)) - 1;
        let (low, high) = (number(self, ones * 0x0101_0101), number(self, i64::from(0xf0f0_f0f0_u32 as i32)));
        let record = self.code.mul(at, Index::constant(w.record));
        let mut sums: Vec<Vec<Value>> = Vec::new();
        for row in 0..place.rows {
            let base = self.code.add(place.record(w, row), record);
            let starts: Vec<Value> = (0..digits)
                .map(|digit| match form.zero {
                    Zero::Constant(n) if n != 0 => self.broadcast_int(w, base.plus(w.starts + digit)),
                    _ => zero,
                })
                .collect();
            sums.extend(place.vectors.iter().map(|_| starts.clone()));
        }
        let mut upper = vec![vec![zero; digits as usize]; sums.len()];
        let per = 8 / form.bits;
        for group in 0..form.groups() {
            for (of, &vector) in place.vectors.iter().enumerate() {
                let bytes = self.numbers_at(w, place.panel, at, group, vector);
                let parts = match (per, apart) {
                    (1, _) => vec![bytes],
                    (_, true) => {
                        vec![self.code.math("arith.andi", &[bytes, low]), self.code.math("arith.andi", &[bytes, high])]
                    }
                    (_, false) => {
                        let shifts: Vec<Value> = (1..per).map(|part| number(self, part * form.bits)).collect();
                        let mut parts = vec![bytes];
                        parts.extend(shifts.iter().map(|by| self.code.math("arith.shrui", &[bytes, *by])));
                        parts.into_iter().map(|v| self.code.math("arith.andi", &[v, low])).collect()
                    }
                };
                for row in 0..place.rows {
                    let base = self.code.add(place.record(w, row), record);
                    let index = row as usize * place.vectors.len() + of;
                    for (half, &numbers) in parts.iter().enumerate() {
                        for digit in 0..digits {
                            let word = digit * form.step() / 4 + group * per + half as i64;
                            let x = self.broadcast_int(w, base.plus(word));
                            let into = if apart && half == 1 { &mut upper[index] } else { &mut sums[index] };
                            let sum = &mut into[digit as usize];
                            *sum = self.dot(instruction, *sum, numbers, x);
                        }
                    }
                }
            }
        }
        if apart {
            for (sum, upper) in sums.iter_mut().flatten().zip(upper.into_iter().flatten()) {
                let upper = self.code.math("arith.shrsi", &[upper, four]);
                *sum = self.code.math("arith.addi", &[*sum, upper]);
            }
        }
        sums
    }

    /// The sums of all digits together, as a float: two digits are exact.
    fn joined_digits(&mut self, digits: &[Value]) -> Value {
        let (int, float) = (self.code.int(32), Type::f32(self.code.at.context()));
        let floats = self.code.vector(float);
        let eight = self.code.number(int, 8.0);
        let eight = self.code.splat(eight);
        let as_float = |this: &mut Self, v: Value| this.code.pure("arith.sitofp", &[v], floats, None);
        let [first, rest @ ..] = digits else { unreachable!("there is a digit") };
        let Some((second, rest)) = rest.split_first() else { return as_float(self, *first) };
        let high = self.code.math("arith.shli", &[*first, eight]);
        let both = self.code.math("arith.addi", &[high, *second]);
        let both = as_float(self, both);
        let times = self.code.number(float, 256.0);
        let times = self.code.splat(times);
        rest.iter().fold(both, |sum, &digit| {
            let digit = as_float(self, digit);
            self.multiply_add(sum, times, digit)
        })
    }

    fn broadcast_int(&mut self, w: &Work<'_>, at: Index) -> Value {
        let value = self.code.load(&w.ints, &LaneIndex::uniform(at), None, None, None);
        self.code.splat(value)
    }

    /// A float of scratch memory in all lanes.
    pub(super) fn broadcast_float(&mut self, w: &Work<'_>, at: Index) -> Value {
        let value = self.code.load(&w.floats, &LaneIndex::uniform(at), None, None, None);
        self.code.splat(value)
    }
}
