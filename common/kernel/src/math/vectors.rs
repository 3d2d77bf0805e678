//! Functions on vectors in code that the kernel compiler did not make: transform scripts leave them, and LLVM would call the C library for
//! each lane.
use super::{OWN, PERIODIC, float_builder::FloatBuilder};
use crate::{MachineModel, emit::ir_builder::IrBuilder};
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Replaces the functions on vectors of floats in a module by inline code for a machine, a register at a time. Functions without a form
/// of their own, wider floats and vectors of unknown length stay.
pub fn expand_vector_math(module: Op, target: &MachineModel) {
    let mut found = Vec::new();
    for function in module.body_ops() {
        let Some(first) = function.body().and_then(|b| b.ops().first().copied()) else { continue };
        function.walk(&mut |op| {
            if OWN.contains(&&*op.name()) && is_expandable(&op) {
                found.push((first, op));
            }
        });
    }
    for (first, op) in found {
        let expansion = Expansion { first, op, target };
        op.result(0).replace_all_uses(expansion.rows(op.operand(0)));
        op.erase();
    }
}

fn is_expandable(op: &Op) -> bool {
    let ty = op.operand(0).ty();
    let inline = !PERIODIC.contains(&&*op.name());
    inline && ty.is_vector() && ty.is_static() && ty.rank() > 0 && ty.element().is_float() && ty.element().bits() <= 32
}

struct Expansion<'t> {
    /// The first operation of the function: constants stand before it.
    first: Op,
    op: Op,
    target: &'t MachineModel,
}

impl Expansion<'_> {
    /// The function of a vector: of each row of the last dimension.
    fn rows(&self, x: Value) -> Value {
        let at = Builder::before(self.op);
        let shape: Vec<i64> = x.ty().shape().into_iter().flatten().collect();
        let Some((&last, outer)) = shape.split_last() else { return x };
        if outer.is_empty() {
            return self.registers(x);
        }
        let row = Type::vector(last, x.ty().element());
        let mut all = x;
        let count: i64 = outer.iter().product();
        for number in 0..count {
            let mut rest = number;
            let mut position: Vec<i64> = outer.iter().rev().map(|n| (rest % n, rest /= n).0).collect();
            position.reverse();
            let place = [("static_position", Attr::i64s(at.context(), &position))];
            let value = self.registers(at.value("vector.extract", &[x], row, &place));
            all = at.value("vector.insert", &[value, all], x.ty(), &place);
        }
        all
    }

    /// The function of a row: of as many lanes as a register has, where they divide it.
    fn registers(&self, x: Value) -> Value {
        let at = Builder::before(self.op);
        let count = x.ty().element_count().expect("the vector is static");
        let lanes = i64::from(self.target.vector_bits / 32);
        if count <= lanes || count % lanes != 0 {
            return self.function(x);
        }
        let part = Type::vector(lanes, x.ty().element());
        let i64s = |n: i64| Attr::array(at.context(), &[Attr::integer(Type::integer(at.context(), 64), n)]);
        let mut all = x;
        for start in (0..count).step_by(lanes as usize) {
            let (offsets, strides) = (("offsets", i64s(start)), ("strides", i64s(1)));
            let piece =
                at.value("vector.extract_strided_slice", &[x], part, &[offsets, ("sizes", i64s(lanes)), strides]);
            let piece = self.function(piece);
            all = at.value("vector.insert_strided_slice", &[piece, all], x.ty(), &[offsets, strides]);
        }
        all
    }

    fn function(&self, x: Value) -> Value {
        let mut code = IrBuilder::before(self.first);
        code.at = Builder::before(self.op);
        let ty = x.ty();
        let mut builder = FloatBuilder::new(&mut code, ty, self.target);
        let x = builder.widened(x);
        let y = builder.function(&self.op.name(), x);
        builder.narrowed(y, ty)
    }
}
