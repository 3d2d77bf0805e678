//! Checks the result of the pipeline `cpu`: one kernel in the LLVM dialect.
use super::lowering::Lowering;
use crate::code_target::CodeTarget;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Module, Op, Session,
    form::{self, Export, Level},
    names,
};

/// Checks it. `given` is the pipeline file that made it, unless that is the default one. Errors: IR that does not verify, operations
/// of other dialects, no kernel, one of another signature.
pub(super) fn check(
    session: &Session,
    module: &Module<'_>,
    lowering: &Lowering<'_, '_>,
    given: Option<&str>,
) -> Result<()> {
    if !Op::from(module).verify() {
        return Err(blame(session.error("the generated code is not valid"), "cpu", given));
    }
    unconverted(session, module, lowering.state.code, given)?;
    match given {
        Some(_) => signature(module, lowering).map_err(|e| blame(e, "cpu", given)),
        None => Ok(()),
    }
}

/// Names the pipeline file that produced the result, if one runs in place of a default pipeline.
pub(crate) fn blame(error: Error, pipeline: &str, given: Option<&str>) -> Error {
    match given {
        Some(given) => error
            .note(format!("that is what `{given}` made, which runs in place of the pipeline `{pipeline}`"))
            .hint(format!("compare it with the default one: `hal-opt --show-stage={pipeline}.yaml`")),
        None => error,
    }
}

/// Checks that there is the kernel, with its signature.
fn signature(module: &Module<'_>, lowering: &Lowering<'_, '_>) -> Result<()> {
    let name = lowering.state.name;
    let ops = Op::from(module).body_ops();
    let found = ops.into_iter().find(|op| op.is("llvm.func") && op.symbol().as_deref() == Some(name));
    let Some(kernel) = found.filter(|op| op.body().is_some()) else {
        return Err(Error::input(format!("export `@{name}` is gone")).code("no-export"));
    };
    let had = kernel.has_attr(names::INTERFACE);
    form::adopt_interface(kernel, lowering.state.original);
    let level = Export { op: kernel }.level();
    if !had {
        kernel.remove_attr(names::INTERFACE);
        kernel.remove_attr(names::RESULTS);
    }
    match level {
        Ok(signature) if signature.level == Level::Kernel => Ok(()),
        Ok(_) => Err(Error::input(format!("export `@{name}` does not have the kernel signature"))
            .code("unsupported-type")
            .hint("the step `hal-kernel-signature` gives it one, before functions are lowered to the LLVM dialect")),
        Err(why) => Err(Error::input(format!("export `@{name}` {why}")).code("unsupported-type")),
    }
}

/// Names remaining operations of other dialects. MLIR's own message would name one operation without its place.
fn unconverted(session: &Session, module: &Module<'_>, code: &dyn CodeTarget, given: Option<&str>) -> Result<()> {
    let mut left: Vec<Op> = Vec::new();
    let llvm = code.llvm();
    let dialect = llvm.and_then(|llvm| llvm.dialect());
    Op::from(module).walk(&mut |op| {
        let name = op.name();
        let known = name.starts_with("llvm.")
            || dialect.is_some_and(|d| name.strip_prefix(d).is_some_and(|rest| rest.starts_with('.')));
        if !known && name != "builtin.module" {
            left.push(op);
        }
    });
    // A cast that is left over is the trace of an operation that did not convert; name the operation itself if there is one.
    let culprits: Vec<Op> = left.iter().copied().filter(|op| !op.is("builtin.unrealized_conversion_cast")).collect();
    let Some(&first) = culprits.first().or(left.first()) else { return Ok(()) };
    let error = Error::input(format!(
        "operation `{}` cannot be translated for a {}",
        first.name(),
        if dialect.is_some() { "GPU" } else { "CPU" }
    ))
    .code("unsupported-op");
    let error = blame(error, "cpu", given);
    Err(error.at(session.span(first)))
}
