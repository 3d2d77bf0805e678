//! Each user of a `tensor.empty` gets one of its own. Upstream's bufferization takes two loops' initial values that are one empty
//! tensor, as the elimination of common expressions leaves them, for one buffer, and what they write for no conflict.
use halyard_ir::{Builder, Op};

/// Separates those of a module.
pub(crate) fn separate(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if op.is("tensor.empty") {
            found.push(op);
        }
    });
    for op in found {
        for (user, operand) in op.result(0).uses().into_iter().skip(1) {
            user.set_operand(operand, Builder::before(op).insert(op.duplicate()).result(0));
        }
    }
}
