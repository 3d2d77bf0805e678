//! Softmax by reciprocals: where powers of e are divided by their sum, as in a softmax, they are multiplied by its
//! reciprocal, once per sum: a division is the slowest of all instructions. The sum is at least the largest power, so that
//! nothing overflows; the result has two roundings instead of one. The largest of the exponents need not watch out for what
//! is no number: it is subtracted from all of them, and one that is no number makes the sum none, and with it all shares. Nor
//! does the sign of a zero matter: e^0 is 1, whatever its sign.
use halyard_ir::{Attr, Builder, Op, Value};

/// Rewrites the divisions of a module that is made of generic operations.
pub(crate) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if op.is("arith.divf") && is_softmax(op) {
            found.push(op);
        }
    });
    for op in found {
        let (share, sum) = (op.operand(0), op.operand(1));
        if let Some((generic, largest)) = source(share).and_then(largest) {
            let at = Builder::before(generic);
            let lowest = at.constant(Attr::float(largest.result(0).ty(), f64::NEG_INFINITY));
            if let Some(start) = filled(at, generic, lowest) {
                let flags = Attr::parse(op.context(), "#arith.fastmath<nnan,nsz>").expect("flags");
                largest.set_attr("fastmath", flags);
                generic.set_operand(1, start);
            }
        }
        let at = Builder::before(op);
        let one = at.constant(Attr::float(sum.ty(), 1.0));
        let reciprocal = at.value("arith.divf", &[one, sum], sum.ty(), &[]);
        let product = at.value("arith.mulf", &[share, reciprocal], sum.ty(), &[]);
        op.result(0).replace_all_uses(product);
        op.erase();
    }
}

/// What a generic operation starts from, filled with another number.
fn filled(at: Builder, generic: Op, number: Value) -> Option<Value> {
    let init = generic.operand(1);
    if init.ty().is_static() {
        return Some(at.value("tensor.splat", &[number], init.ty(), &[]));
    }
    let fill = at.insert(init.def()?.duplicate());
    let end = fill.body()?.terminator()?;
    match end.operand(0).def() {
        Some(_) => end.set_operand(0, number),
        None => fill.set_operand(end.operand(0).index(), number),
    }
    Some(fill.result(0))
}

/// What an argument of a generic operation's body is an element of.
fn source(value: Value) -> Option<Value> {
    let block = value.argument_block()?;
    let generic = block.parent().filter(|p| p.is("linalg.generic"))?;
    (value.index() < generic.operand_count() - generic.result_count()).then(|| generic.operand(value.index()))
}

/// The generic operation that makes a tensor, and the operation whose result it yields.
fn made(tensor: Value) -> Option<(Op, Op)> {
    let generic = tensor.def().filter(|d| d.is("linalg.generic") && d.result_count() == 1)?;
    Some((generic, generic.body()?.terminator()?.operand(0).def()?))
}

/// A tensor without the reshapes that it went through.
fn unshaped(mut tensor: Value) -> Value {
    while let Some(reshape) =
        tensor.def().filter(|d| matches!(&*d.name(), "tensor.expand_shape" | "tensor.collapse_shape" | "tensor.cast"))
    {
        tensor = reshape.operand(0);
    }
    tensor
}

/// What finds the largest exponent of these powers, if nothing else asks for it: the generic operation, and the one
/// that it yields. It starts from what is below all numbers, or no number.
fn largest(powers: Value) -> Option<(Op, Op)> {
    let (_, exp) = made(powers)?;
    let difference = exp.operand(0).def().filter(|d| d.is("arith.subf"))?;
    let tensor = source(difference.operand(1))?;
    let reshaped = unshaped(tensor);
    let (generic, largest) = made(reshaped)?;
    let same = generic.operand_count() == 2 && source(difference.operand(0)) == Some(generic.operand(0));
    let once = tensor.uses().len() == 1 && reshaped.uses().len() == 1;
    // A fill, which is a generic operation as all are by now.
    let fill = generic.operand(1).def().filter(|d| d.is("linalg.generic"))?;
    let filler = fill.body()?.terminator()?.operand(0);
    let filler = if filler.def().is_some() { filler } else { source(filler)? };
    let start = filler.constant_attr()?.as_float()?;
    (same
        && once
        && (start.is_nan() || start == f64::NEG_INFINITY)
        && matches!(&*largest.name(), "arith.maxnumf" | "arith.maximumf"))
    .then_some((generic, largest))
}

fn is_softmax(div: Op) -> bool {
    let (Some(powers), Some(sum)) = (source(div.operand(0)), source(div.operand(1))) else { return false };
    let sum = unshaped(sum);
    let (Some((_, exp)), Some((adds, add))) = (made(powers), made(sum)) else { return false };
    exp.is("math.exp")
        && add.is("arith.addf")
        && adds.operand_count() == 2
        && adds.operand(0) == powers
        && adds.body().is_some_and(|body| body.ops().len() == 2)
        && sum.ty().rank() < powers.ty().rank()
        // A rounding more shows in shorter floats.
        && powers.ty().element().bits() >= 32
}
