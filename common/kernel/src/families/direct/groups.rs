//! Convolutions of bytes: groups of channels take the place of channels, and an instruction that adds the products of a group that of a
//! multiplication and an addition.
//!
//! A zero point of the input is left out of the products, padding included: `Σ (u - p)·s = Σ u·s - p·Σ s`.
use super::form::Direct;
use super::stripe::{Part, Strides, input_point};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::families::byte_groups::ByteInput;
use crate::graph::Memory;
use halyard_ir::Value;

impl Emitter<'_> {
    /// Copies a part of all channels, with padding, in groups of channels; `shift` is added to what the input
    /// is to have bytes.
    pub(super) fn copy_groups(
        &mut self,
        d: &Direct,
        (input, shift): (&ByteInput, Option<Value>),
        outer: &[Index],
        part: Part,
        (scratch, at): (&Memory, Strides),
    ) -> Supported<()> {
        let group = input.short().group();
        let (whole, rest) = (input.channels / group, input.channels % group);
        let copy = |this: &mut Self, number: Index, count: i64| {
            let to = this.code.mul(number, at.channel);
            let first = this.code.mul(number, Index::constant(group));
            this.each_piece(d, part, (to, at.row), |this, row, column, to, mask| {
                let points: Vec<_> =
                    (0..count).map(|c| input_point(outer, [first.plus(c), row, column], mask)).collect();
                let value = this.group_of(d.x, (input, shift), &points)?;
                this.code.store(scratch, &LaneIndex::from(to), value, mask);
                Ok(())
            })
        };
        self.for_loop((Index::ZERO, Index::constant(whole), Index::constant(1)), &[], |this, number, _| {
            copy(this, number, group).map(|()| Vec::new())
        })?;
        if rest > 0 { self.code_scoped(|this| copy(this, Index::constant(whole), rest)) } else { Ok(()) }
    }

    /// Elements of the input as an instruction multiplies them, those of a group side by side.
    pub(in crate::families) fn group_of(
        &mut self,
        x: usize,
        (input, shift): (&ByteInput, Option<Value>),
        points: &[Point],
    ) -> Supported<Value> {
        let short = input.short();
        let narrow = self.code.int(short.bits());
        let mut parts = Vec::new();
        for value in self.materialize(x, points)? {
            let value = self.code.splat(value);
            let value = match shift {
                Some(shift) => {
                    let shift = self.code.splat(shift);
                    self.code.math("arith.addi", &[value, shift])
                }
                None => value,
            };
            parts.push(self.narrow(value, narrow));
        }
        Ok(self.side_by_side(short, parts))
    }
}
