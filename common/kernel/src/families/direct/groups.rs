//! Convolutions of bytes: groups of four channels take the place of channels, and an instruction that adds four products that of a
//! multiplication and an addition.
//!
//! A zero point of the input is left out of the products, padding included: `Σ (u - p)·s = Σ u·s - p·Σ s`.
use super::emit::input_point;
use super::form::Direct;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::byte_groups::ByteInput;
use crate::families::dot_instructions::Short;
use crate::graph::Memory;
use halyard_ir::Value;

impl Emitter<'_> {
    /// Copies rows `high` and the following of all channels, with padding, in groups of four channels; `shift` is added to what the input
    /// is to have bytes.
    pub(super) fn copy_groups(
        &mut self,
        d: &Direct,
        (input, shift): (&ByteInput, Option<Value>),
        outer: &[Index],
        (high, rows): (Index, i64),
        scratch: &Memory,
        (plane, pitch): (i64, i64),
    ) -> Supported<()> {
        let group = Short::Byte.group();
        let (whole, rest) = (input.channels / group, input.channels % group);
        let copy = |this: &mut Self, number: Index, count: i64| {
            let to = this.code.mul(number, Index::constant(plane));
            let first = this.code.mul(number, Index::constant(group));
            this.each_piece(d, (high, rows), (to, pitch), |this, row, column, to, mask| {
                let points: Vec<_> =
                    (0..count).map(|c| input_point(outer, [first.plus(c), row, column], mask)).collect();
                let byte = this.code.int(8);
                let mut parts = Vec::new();
                for value in this.materialize(d.x, &points)? {
                    let value = this.code.splat(value);
                    let value = match shift {
                        Some(shift) => {
                            let shift = this.code.splat(shift);
                            this.code.math("arith.addi", &[value, shift])
                        }
                        None => value,
                    };
                    parts.push(this.narrow(value, byte));
                }
                let value = this.side_by_side(Short::Byte, parts);
                this.code.store(scratch, &LaneIndex::from(to), value, mask);
                Ok(())
            })
        };
        self.for_loop((Index::ZERO, Index::constant(whole), Index::constant(1)), &[], |this, number, _| {
            copy(this, number, group).map(|()| Vec::new())
        })?;
        if rest > 0 { self.code_scoped(|this| copy(this, Index::constant(whole), rest)) } else { Ok(()) }
    }
}
