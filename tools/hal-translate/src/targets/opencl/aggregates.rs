//! Takes descriptors of memory apart. LLVM's code generator for SPIR-V mistakes what pointers in them lead to, if no pass of
//! LLVM has removed them.
use halyard_ir::{Attr, Module, Op};

/// Gives the users of a member the value that was put there, and removes aggregates without users.
pub(super) fn dissolve(module: &Module<'_>) {
    let mut ops = Vec::new();
    Op::from(module).walk(&mut |op| ops.push(op));
    let (extracts, mut inserts): (Vec<Op>, Vec<Op>) = ops
        .into_iter()
        .filter(|op| op.is("llvm.extractvalue") || op.is("llvm.insertvalue"))
        .partition(|op| op.is("llvm.extractvalue"));
    extracts.into_iter().for_each(forward);
    // An aggregate is used by those that are made of it, which may come later in any order.
    loop {
        let (used, unused): (Vec<Op>, Vec<Op>) = inserts.into_iter().partition(|op| op.has_uses());
        if unused.is_empty() {
            return;
        }
        unused.into_iter().for_each(Op::erase);
        inserts = used;
    }
}

fn forward(extract: Op) {
    let position = |op: Op| op.attr("position").and_then(Attr::as_i64s).unwrap_or_default();
    let wanted = position(extract);
    while let Some(insert) = extract.operand(0).def().filter(|op| op.is("llvm.insertvalue")) {
        let put = position(insert);
        if put == wanted {
            extract.result(0).replace_all_uses(insert.operand(1));
            extract.erase();
            return;
        }
        // One of them is a part of the other.
        if put.starts_with(&wanted) || wanted.starts_with(&put) {
            return;
        }
        extract.set_operand(0, insert.operand(0));
    }
}
