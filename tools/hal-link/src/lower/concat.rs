//! Lowers concatenations: the parts are computed at their places in the result, so that nothing is copied.
use super::{
    FunctionLowering,
    values::{TensorVal, Val, imm, known},
};
use halyard_diag::Result;
use halyard_ir::{Attr, Block, Op, Value};
use halyard_runtime::{
    ALIGNMENT,
    commands::{Base, Inst},
};

impl FunctionLowering<'_, '_> {
    /// Decides for the concatenations of a block, which is about to be lowered, which values are made as parts of them.
    pub(crate) fn plan_concats(&mut self, block: Block) {
        // The outermost of nested ones comes last: it has the memory of all of them.
        for op in block.ops().into_iter().rev().filter(|op| op.is("tensor.concat")) {
            let whole = op.result(0);
            // A function that is inlined again gets separate memory.
            self.wholes.remove(&whole);
            self.parts.retain(|_, (of, _)| *of != whole);
            if parts_in_a_row(op).is_none() || self.wanted.contains_key(&whole) || self.is_stored(whole) {
                continue;
            }
            let mut offset = 0;
            for operand in op.operands() {
                let part = made_as(operand);
                let made_here = !self.is_stored(part)
                    && part
                        .def()
                        .is_some_and(|d| d.block() == Some(block) && (d.is("func.call") || d.is("tensor.concat")));
                if made_here && !self.wanted.contains_key(&part) && offset % ALIGNMENT as u64 == 0 {
                    self.parts.entry(part).or_insert((whole, offset));
                }
                offset += bytes_of(operand);
            }
        }
    }

    /// Returns where to compute a value that is a concatenation, or directly or indirectly a part of one.
    pub(crate) fn place_in_whole(&mut self, value: Value) -> Option<(Base, u64)> {
        if let Some(&(whole, offset)) = self.parts.get(&value) {
            let (base, start) = self.place_in_whole(whole)?;
            return Some((base, start + offset));
        }
        value.def().filter(|d| d.is("tensor.concat"))?;
        if let Some(&base) = self.wanted.get(&value).or_else(|| self.wholes.get(&value)) {
            return Some((base, 0));
        }
        let base = self.storage(bytes_of(value));
        self.wholes.insert(value, base);
        Some((base, 0))
    }

    /// Lowers a concatenation: parts that are not in their place are copied.
    pub(crate) fn concat(&mut self, op: Op) -> Result<()> {
        if parts_in_a_row(op).is_none() {
            return Err(self
                .unit
                .fail(op, format!("the parts of `tensor.concat` to `{}` do not lie one after the other in memory, or their sizes are not known", op.result(0).ty()))
                .hint("it belongs in an executable: run `hal-import` on the program first"));
        }
        let whole = self.fresh(op.result(0), Self::shape(op.result(0).ty(), &[]));
        let mut offset = known(whole.offset).unwrap_or(0);
        for index in 0..op.operand_count() {
            let part = self.tensor(op, index)?;
            let place = TensorVal { base: whole.base, offset: imm(offset), ..part.clone() };
            if !place.same_place(&part) {
                let (source, target) = (self.buffer(&part), self.buffer(&place));
                self.emit(Inst::Copy { source, target });
            }
            offset += bytes_of(op.operand(index));
        }
        self.bind(op.result(0), Val::Tensor(whole));
        Ok(())
    }
}

/// The axis of a concatenation of static shapes whose parts are one after the other in memory.
fn parts_in_a_row(op: Op) -> Option<usize> {
    let axis = usize::try_from(op.attr("dim").and_then(Attr::as_int)?).ok()?;
    let fixed = op.result(0).ty().is_static() && op.operands().iter().all(|v| v.ty().is_static());
    let outer: Vec<_> = op.result(0).ty().shape().into_iter().take(axis).collect();
    (fixed && outer.iter().all(|n| *n == Some(1))).then_some(axis)
}

/// The value whose memory a value has, behind reshapes.
fn made_as(value: Value) -> Value {
    match value.def() {
        Some(d) if d.is("tensor.collapse_shape") || d.is("tensor.expand_shape") => made_as(d.operand(0)),
        _ => value,
    }
}

/// The bytes of a value of static type.
fn bytes_of(value: Value) -> u64 {
    let ty = value.ty();
    let dtype = super::dtype_of(ty.element()).map_or(1, |d| d.size() as u64);
    ty.shape().into_iter().map(|n| n.unwrap_or(0) as u64).product::<u64>() * dtype
}
