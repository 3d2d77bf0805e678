//! Activations as a kernel multiplies them: in the order in which numbers are unpacked, as digits with a scale for each few steps, or as
//! floats.
//!
//! An activation is `v · d`, where `d` is the same for all of the steps that share it, and `v` is an integer, `Σ digit · 256^i` with digits from
//! -128 to 127. Of three digits, `d` is a power of two and the error at most `2^-23` of the largest activation beside it, which is what
//! sums of f32 lose. Of one digit, the largest activation is 127, and the error at most `1/254` of it. Where an activation is no finite
//! number, `d` is NaN.
use super::emit::Work;
use super::form::Zero;
use super::plan::Way;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, IrBuilder, Supported};
use halyard_ir::{Attr, Type, Value};

/// The bits of the exponent 22 digits below one: `2^22` as what the largest activation becomes, at least.
const TOP: i64 = 22;
/// From so far below the next power of two on, in units of the last place, a number is too large for balanced digits: `2^22` times it would be
/// above 8 355 584.
const MARGIN: i64 = (1 << 16) + (1 << 9);
/// The least exponent field of the largest activation: below it steps have a fixed size, `2^-126`.
const LEAST: i64 = 23;
/// The least number that 127 stands for, where the scale is no power of two.
const EVEN_LEAST: f32 = f32::from_bits((127 - 100) << MANTISSA);
/// What an f32 has in front of its exponent field.
const MANTISSA: u32 = 23;

impl Emitter<'_> {
    /// Rows `from` and so many more, into scratch memory.
    pub(super) fn pack_activations(&mut self, w: &Work<'_>, from: Index, rows: Index) -> Supported<()> {
        let (form, lanes) = (&w.plan.form, self.code.lanes);
        let (step, count, one) = (form.step(), form.count(), Index::constant(1));
        self.code.lanes = step;
        let result = self.for_loop((Index::ZERO, rows, one), &[], |this, row, _| {
            let (line, start) = (this.code.add(from, row), this.code.mul(row, Index::constant(w.pitch)));
            this.for_loop((Index::ZERO, Index::constant(count), one), &[], |this, at, _| {
                let k = this.code.mul(at, Index::constant(step));
                let left = this.code.sub(Index::constant(form.steps), k);
                let mask = (form.steps % step != 0).then(|| this.lane_mask(left));
                let point = Point { idx: vec![LaneIndex::uniform(line), LaneIndex::from(k)], mask, guard: None };
                let x = this.materialize(form.x, &[point])?[0];
                let x = this.code.splat(x);
                let mut x = this.as_f32(x);
                let float = Type::f32(this.code.at.context());
                if let Some(mask) = mask {
                    let zero = this.code.number(float, 0.0);
                    let zero = this.code.splat(zero);
                    x = this.code.select(mask, x, zero);
                }
                let record = this.code.mul(at, Index::constant(w.record));
                let to = this.code.add(start, record);
                match w.plan.way {
                    Way::Floats => {
                        let x = this.code.ordered(x, &form.order);
                        this.code.store(&w.floats, &LaneIndex::from(to), x, None);
                    }
                    Way::Digits { digits, .. } => this.pack_digits(w, x, digits, to),
                }
                Ok(Vec::new())
            })
        });
        self.code.lanes = lanes;
        result.map(|_| ())
    }

    /// What the largest activation, given by its bits, is divided by, and its inverse: for 127 to be what it becomes.
    fn even_scale(&mut self, largest: Value) -> (Value, Value) {
        let (int, float) = (self.code.int(32), Type::f32(self.code.at.context()));
        let least = self.code.number(int, f64::from(EVEN_LEAST.to_bits()));
        let largest = self.code.math("arith.maxui", &[largest, least]);
        let largest = self.code.pure("arith.bitcast", &[largest], float, None);
        let most = self.code.number(float, 127.0);
        (self.code.math("arith.divf", &[largest, most]), self.code.math("arith.divf", &[most, largest]))
    }

    /// The same, for it to be a power of two, and for the top digit to hold what becomes of the largest one.
    fn power_scale(&mut self, largest: Value, digits: i64) -> (Value, Value) {
        let (int, float) = (self.code.int(32), Type::f32(self.code.at.context()));
        let number = |this: &mut Self, n: i64| this.code.number(int, n as f64);
        // Its exponent, one more where the top digit would not hold it.
        let margin = number(self, MARGIN);
        let exponent = self.code.math("arith.addi", &[largest, margin]);
        let shift = number(self, i64::from(MANTISSA));
        let exponent = self.code.math("arith.shrui", &[exponent, shift]);
        let least = number(self, LEAST);
        let exponent = self.code.math("arith.maxsi", &[exponent, least]);
        let most = number(self, 255);
        let exponent = self.code.math("arith.minsi", &[exponent, most]);
        let top = number(self, TOP - 8 * (3 - digits));
        let twice = number(self, 254 + TOP - 8 * (3 - digits));
        let power = |this: &mut Self, field: Value| {
            let bits = this.code.math("arith.shli", &[field, shift]);
            this.code.pure("arith.bitcast", &[bits], float, None)
        };
        let field = self.code.math("arith.subi", &[exponent, top]);
        let scale = power(self, field);
        let field = self.code.math("arith.subi", &[twice, exponent]);
        let inverse = power(self, field);
        (scale, inverse)
    }

    fn pack_digits(&mut self, w: &Work<'_>, x: Value, digits: i64, to: Index) {
        let form = &w.plan.form;
        let step = form.step();
        let (int, float) = (self.code.int(32), Type::f32(self.code.at.context()));
        let ints = self.code.vector(int);
        let number = |this: &mut Self, n: i64| this.code.number(int, n as f64);
        // The largest one, by its bits, which are in the order of the numbers; what is no number is above all.
        let bits = self.code.pure("arith.bitcast", &[x], ints, None);
        let sign = number(self, i64::from(i32::MAX));
        let sign = self.code.splat(sign);
        let magnitudes = self.code.math("arith.andi", &[bits, sign]);
        let largest = self.code.over(magnitudes, "maxui");
        let infinite = number(self, 0x7f80_0000);
        let wild = self.code.compare(5, largest, infinite);
        let (scale, inverse) = if digits == 1 { self.even_scale(largest) } else { self.power_scale(largest, digits) };
        let nan = self.code.number(float, f64::NAN);
        let scale = self.code.select(wild, nan, scale);
        let zero = self.code.number(float, 0.0);
        let inverse = self.code.splat(inverse);
        let scaled = self.code.math("arith.mulf", &[x, inverse]);
        let rounded = self.code.math("math.roundeven", &[scaled]);
        // No integer is made of what is no finite number.
        let (zeros, wild) = (self.code.splat(zero), self.code.splat(wild));
        let rounded = self.code.select(wild, zeros, rounded);
        let mut rest = self.code.pure("arith.fptosi", &[rounded], ints, None);
        let total = self.code.over(rest, "add");
        let (byte, eight, high) = (self.code.int(8), number(self, 8), number(self, 24));
        let (eight, high) = (self.code.splat(eight), self.code.splat(high));
        for digit in (0..digits).rev() {
            let own = if digit > 0 {
                let low = self.code.math("arith.shli", &[rest, high]);
                self.code.math("arith.shrsi", &[low, high])
            } else {
                rest
            };
            let ty = self.code.vector(byte);
            let short = self.code.pure("arith.trunci", &[own], ty, None);
            let short = self.code.ordered(short, &form.order);
            let at = self.code.mul(to, Index::constant(4)).plus(digit * step);
            self.code.store(&w.bytes, &LaneIndex::from(at), short, None);
            if let Zero::Constant(zero) = form.zero {
                let sum = self.code.over(own, "add");
                let minus = number(self, -zero);
                let start = self.code.math("arith.muli", &[sum, minus]);
                self.code.store(&w.ints, &LaneIndex::uniform(to.plus(w.starts + digit)), start, None);
            }
            if digit > 0 {
                let less = self.code.math("arith.subi", &[rest, own]);
                rest = self.code.math("arith.shrsi", &[less, eight]);
            }
        }
        if !matches!(form.zero, Zero::Constant(_)) {
            let total = self.code.pure("arith.sitofp", &[total], float, None);
            self.code.store(&w.floats, &LaneIndex::uniform(to.plus(w.starts)), total, None);
        }
        self.code.store(&w.floats, &LaneIndex::uniform(to.plus(w.starts - 1)), scale, None);
    }
}

impl IrBuilder {
    /// The elements of a vector in another order.
    fn ordered(&mut self, value: Value, order: &[i64]) -> Value {
        let picks = Attr::i64s(self.at.context(), order);
        self.pure("vector.shuffle", &[value, value], value.ty(), Some(("mask", picks)))
    }

    /// All lanes of a vector as one number.
    fn over(&mut self, value: Value, kind: &str) -> Value {
        let kind = Attr::parse(self.at.context(), &format!("#vector.kind<{kind}>")).expect("an attribute of vector");
        self.at.value("vector.reduction", &[value], value.ty().element(), &[("kind", kind)])
    }
}
