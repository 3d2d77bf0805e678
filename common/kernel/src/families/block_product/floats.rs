//! Tiles of sums whose activations are floats: numbers are made floats, with scale and zero point, in registers.
use super::emit::{Place, Work};
use super::form::Zero;
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use halyard_ir::{Type, Value};

impl Emitter<'_> {
    /// The sums of some rows with some vectors of a panel, row by row.
    pub(super) fn float_sums(&mut self, w: &Work<'_>, place: &Place) -> Supported<Vec<Value>> {
        let form = &w.plan.form;
        let (int, float) = (self.code.int(32), Type::f32(self.code.at.context()));
        let zero = self.code.number(float, 0.0);
        let start = vec![self.code.splat(zero); place.rows as usize * place.vectors.len()];
        let (count, per) = (Index::constant(form.count()), 8 / form.bits);
        self.for_loop((Index::ZERO, count, Index::constant(1)), &start, |this, at, sums| {
            let floats = this.code.vector(float);
            let mask = this.code.number(int, f64::from((1u32 << form.bits) - 1));
            let mask = this.code.splat(mask);
            let own = this.code.divide("arith.divui", at, Index::constant(form.block / form.step()));
            let record = this.code.mul(at, Index::constant(w.record));
            let blocks: Vec<_> =
                place.vectors.iter().map(|&v| this.of_block(w, place.panel, own, v)).collect::<Supported<_>>()?;
            let mut sums = sums.to_vec();
            for group in 0..form.groups() {
                for (of, &vector) in place.vectors.iter().enumerate() {
                    let bytes = this.numbers_at(w, place.panel, at, group, vector);
                    for (half, byte) in (0..per).flat_map(|h| (0..4).map(move |b| (h, b))) {
                        let by = this.code.number(int, (8 * byte + form.bits * half) as f64);
                        let by = this.code.splat(by);
                        let number = this.code.math("arith.shrui", &[bytes, by]);
                        let number = this.code.math("arith.andi", &[number, mask]);
                        let number = this.code.pure("arith.sitofp", &[number], floats, None);
                        let number = this.centred(number, form.zero, blocks[of].1);
                        let weight = this.code.math("arith.mulf", &[number, blocks[of].0]);
                        let slot = (group * per + half) * 4 + byte;
                        for row in 0..place.rows {
                            let base = this.code.add(place.record(w, row), record);
                            let x = this.broadcast_float(w, base.plus(slot));
                            let sum = &mut sums[row as usize * place.vectors.len() + of];
                            *sum = this.multiply_add(weight, x, *sum);
                        }
                    }
                }
            }
            Ok(sums)
        })
    }

    fn centred(&mut self, number: Value, zero: Zero, of_block: Option<Value>) -> Value {
        let zero = match (zero, of_block) {
            (Zero::Constant(0), _) => return number,
            (Zero::Constant(n), _) => {
                let n = self.code.number(Type::f32(self.code.at.context()), n as f64);
                self.code.splat(n)
            }
            (_, of_block) => of_block.expect("each block has a zero point"),
        };
        self.code.math("arith.subf", &[number, zero])
    }
}
