//! Element-wise operations that upstream would fold to a constant of unknown size.
//!
//! `arith.xori %a, %a` is zero wherever it stands; its fold makes a constant of the operation's type, and one of a type like
//! `tensor<?xi32>` does not verify. In the body of linear algebra the same fold makes a number.
use super::dims::dim_of;
use halyard_ir::{Attr, Builder, Op, Value};

/// Writes operations on one tensor of unknown size, twice, as linear algebra.
pub(super) fn write_out(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| found.extend(is_hazard(op).then_some(op)));
    for op in found {
        let (builder, operand, result) = (Builder::before(op), op.operand(0), op.result(0));
        let dims = (0..).zip(operand.ty().shape()).filter(|(_, size)| size.is_none());
        let sizes: Vec<Value> = dims.map(|(d, _)| dim_of(&builder, operand, d)).collect();
        let init = builder.value("tensor.empty", &sizes, result.ty(), &[]);
        let loops: Vec<String> = (0..result.ty().rank()).map(|d| format!("d{d}")).collect();
        let map = loops.join(", ");
        let attrs = op.attrs();
        let attrs: Vec<(&str, Attr)> = attrs.iter().map(|(name, value)| (&**name, *value)).collect();
        let made = builder.generic(&[operand], &[&map, &map], (loops.len(), 0), init, |at, elements| {
            at.value(&op.name(), &[elements[0], elements[0]], result.ty().element(), &attrs)
        });
        result.replace_all_uses(made.result(0));
        op.erase();
    }
}

fn is_hazard(op: Op) -> bool {
    op.is_of("arith")
        && op.operand_count() == 2
        && op.result_count() == 1
        && op.operand(0) == op.operand(1)
        && op.result(0).ty().is_ranked_tensor()
        && !op.result(0).ty().is_static()
}
