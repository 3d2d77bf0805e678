//! What the host program may consist of.
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{Op, Session};

/// Checks that nothing is left on the host that has to run on a device. Errors: one per operation.
pub(super) fn check_host(session: &Session, functions: &[Op]) -> Result<()> {
    let mut found = Vec::new();
    for function in functions {
        let name = function.symbol().unwrap_or_default();
        check_inside(*function, &mut |op| {
            let text = format!(
                "operation `{}` of function `@{name}` cannot be put into an executable, and the host cannot run it",
                op.name()
            );
            let d = Diagnostic::error(text).code("unsupported");
            found.push(d.at(session.span(op)));
        });
    }
    if found.is_empty() { Ok(()) } else { Err(Error::many(found)) }
}

/// Reports what the host cannot run; what is inside of that is not reported again.
fn check_inside(op: Op, report: &mut dyn FnMut(Op)) {
    for inner in op.regions().into_iter().flat_map(|r| r.blocks()).flat_map(|b| b.ops()) {
        if is_host(inner) { check_inside(inner, report) } else { report(inner) }
    }
}

/// Whether the host can run an operation: calls, reshapes, scalars, control flow, globals.
fn is_host(op: Op) -> bool {
    let name = op.name();
    match &*name {
        "func.call" | "func.return" | "arith.constant" | "cf.assert" => true,
        "tensor.empty"
        | "tensor.dim"
        | "tensor.cast"
        | "tensor.collapse_shape"
        | "tensor.expand_shape"
        | "tensor.reshape" => true,
        "tensor.extract" | "tensor.insert" | "tensor.from_elements" => true,
        // One of two tensors, whole: what `canonicalize` makes of branches.
        "arith.select" => !op.operand(0).ty().is_tensor(),
        "tensor.extract_slice" => super::alias::is_alias(op),
        "tensor.concat" => super::concats::is_in_a_row(op),
        "scf.if" | "scf.index_switch" | "scf.for" | "scf.while" | "scf.yield" | "scf.condition" => true,
        "ml_program.global_load" | "ml_program.global_load_const" | "ml_program.global_store" => true,
        _ => {
            (name.starts_with("arith.") || name.starts_with("math."))
                && op.results().iter().all(|r| !r.ty().is_tensor())
        }
    }
}
