//! 16-bit floats that are only read as `f32` and read often become `f32` of the same values once: intermediates, as models of `f16` have them
//! between a softmax and a product, and the rows that attention multiplies by keys.
use halyard_ir::{AffineKind, Builder, Op, Structured, Type, Value, is_contraction};
use std::collections::HashSet;

/// Rewrites a module that is made of generic operations.
pub(crate) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if op.is("linalg.generic") && op.result_count() == 1 {
            found.push(op);
        }
    });
    for node in found {
        if is_half(node.result(0).ty()) {
            _ = widen(node);
        }
        _ = widen_rows(node);
    }
}

fn is_half(ty: Type) -> bool {
    ty.is_ranked_tensor() && ty.element().is_float() && ty.element().bits() == 16
}

/// Makes the result of a node wider, if all that reads it makes it so.
fn widen(node: Op) -> Option<()> {
    let (result, body) = (node.result(0), node.body()?);
    let (end, out) = (body.terminator()?, *body.args().last()?);
    let empty = node.operand(node.operand_count() - 1).def().filter(|op| op.is("tensor.empty"))?;
    let readers = result.uses().into_iter().map(read_as_f32).collect::<Option<Vec<_>>>()?;
    if out.has_uses() || readers.is_empty() {
        return None;
    }
    let at = Builder::before(end);
    let single = Type::f32(at.context());
    end.set_operand(0, at.value("arith.extf", &[end.operand(0)], single, &[]));
    let wide = Type::tensor(&result.ty().shape(), single);
    let init = Builder::before(node).value("tensor.empty", &empty.operands(), wide, &[]);
    node.set_operand(node.operand_count() - 1, init);
    out.set_ty(single);
    result.set_ty(wide);
    for (argument, wider) in readers {
        argument.set_ty(single);
        for op in wider {
            op.result(0).replace_all_uses(argument);
            op.erase();
        }
    }
    Some(())
}

/// Makes the rows of a product wider whose results another product sums up. Each element is multiplied by lanes of a whole row of results; the
/// conversion of one element to lanes takes longer than the multiplication.
fn widen_rows(product: Op) -> Option<()> {
    let result = product.result(0);
    if !result.ty().element().is_float() || !is_summed_by_product(result) {
        return None;
    }
    let structure = Structured::of(product).filter(|s| s.inputs == 2 && is_contraction(product))?;
    let AffineKind::Dim(lanes) = structure.maps[2].results().pop()? else { return None };
    let operand = (0..2).find(|&i| structure.maps[i].results().iter().all(|r| !r.uses_dim(lanes)))?;
    let rows = product.operand(operand);
    if !is_half(rows.ty()) || rows.def().is_some() {
        return None;
    }
    let (argument, wider) = read_as_f32((product, operand))?;
    let rows = Builder::before(product).as_f32(rows);
    product.set_operand(operand, rows);
    argument.set_ty(rows.ty().element());
    for op in wider {
        op.result(0).replace_all_uses(argument);
        op.erase();
    }
    Some(())
}

/// Whether a value goes into a product, by way of other operations or not.
fn is_summed_by_product(value: Value) -> bool {
    let (mut values, mut seen) = (vec![value], HashSet::new());
    while let Some(value) = values.pop() {
        for (user, _) in value.uses() {
            if is_contraction(user) {
                return true;
            }
            if user.is("linalg.generic") && seen.insert(user) {
                values.extend(user.results());
            }
        }
    }
    false
}

/// The argument of a generic operation's body that is an element of an operand, and what makes it `f32`, if nothing else reads it.
fn read_as_f32((user, operand): (Op, usize)) -> Option<(Value, Vec<Op>)> {
    let inputs = user.operand_count().checked_sub(user.result_count())?;
    let argument = *user.body().filter(|_| user.is("linalg.generic") && operand < inputs)?.args().get(operand)?;
    let wider: Vec<Op> = argument.uses().into_iter().map(|(op, _)| op).collect();
    let all = wider.iter().all(|op| op.is("arith.extf") && op.result(0).ty().bits() == 32);
    (all && !wider.is_empty()).then_some((argument, wider))
}
