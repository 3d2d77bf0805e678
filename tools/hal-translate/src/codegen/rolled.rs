//! Loops that LLVM is not to unroll.
use halyard_ir::Op;

/// The attribute of `scf.for` that the passes to the LLVM dialect copy to the branch at the end of the loop.
const PASSED_ON: &str = "llvm.loop_annotation";

/// Makes of the copied attribute the one that is translated to LLVM IR.
pub(super) fn annotate(module: Op) {
    let mut branches = Vec::new();
    module.walk(&mut |op| {
        if op.attr(PASSED_ON).is_some() {
            branches.push(op);
        }
    });
    for branch in branches {
        if let Some(annotation) = branch.attr(PASSED_ON).filter(|_| branch.is("llvm.br") || branch.is("llvm.cond_br")) {
            branch.set_attr("loop_annotation", annotation);
        }
        branch.remove_attr(PASSED_ON);
    }
}
