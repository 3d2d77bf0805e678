//! Shares of a sum: where powers of e are divided by their sum, as in a softmax, they are multiplied by its reciprocal, once
//! per sum: a division is the slowest of all instructions. The sum is at least the largest power, so that nothing
//! overflows; the result has two roundings instead of one.
use halyard_ir::{Attr, Block, Builder, Op, Value};

/// Rewrites the divisions of a module that is made of generic operations.
pub(crate) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if op.is("arith.divf") && is_share(op) {
            found.push(op);
        }
    });
    for op in found {
        let (share, sum) = (op.operand(0), op.operand(1));
        let at = Builder::before(op);
        let one = at.constant(Attr::float(sum.ty(), 1.0));
        let reciprocal = at.value("arith.divf", &[one, sum], sum.ty(), &[]);
        let product = at.value("arith.mulf", &[share, reciprocal], sum.ty(), &[]);
        op.result(0).replace_all_uses(product);
        op.erase();
    }
}

fn is_share(div: Op) -> bool {
    let source = |value: Value| -> Option<Value> {
        let block = value.argument_block()?;
        let generic = block.parent().filter(|p| p.is("linalg.generic"))?;
        (value.index() < generic.operand_count() - generic.result_count()).then(|| generic.operand(value.index()))
    };
    let (Some(powers), Some(sum)) = (source(div.operand(0)), source(div.operand(1))) else { return false };
    let yields = |value: Value, name: &str| -> Option<(Op, Block)> {
        let generic = value.def().filter(|d| d.is("linalg.generic") && d.result_count() == 1)?;
        let body = generic.body()?;
        body.terminator()?.operand(0).def().filter(|d| d.is(name)).map(|_| (generic, body))
    };
    let mut sum = sum;
    while let Some(reshape) =
        sum.def().filter(|d| matches!(&*d.name(), "tensor.expand_shape" | "tensor.collapse_shape" | "tensor.cast"))
    {
        sum = reshape.operand(0);
    }
    let Some((adds, body)) = yields(sum, "arith.addf") else { return false };
    yields(powers, "math.exp").is_some()
        && adds.operand_count() == 2
        && adds.operand(0) == powers
        && body.ops().len() == 2
        && sum.ty().rank() < powers.ty().rank()
        // A rounding more shows in shorter floats.
        && powers.ty().element().bits() >= 32
}
