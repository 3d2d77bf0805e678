//! Brings functions into the shape that forming executables expects.
use super::constants::inline_splats;
use halyard_diag::Result;
use halyard_ir::{Module, Op, Session, form::Program};

/// Inlines private functions, makes elementwise arithmetic on tensors into linalg, finds where dynamic sizes come from.
pub(super) fn prepare(session: &Session, module: &Module<'_>) -> Result<()> {
    session.run_pipeline(
        module,
        "builtin.module(inline,symbol-dce,func.func(convert-elementwise-to-linalg),canonicalize,cse,\
         resolve-ranked-shaped-type-result-dims,canonicalize,cse)",
    )?;
    for function in (Program { op: Op::from(module) }).functions() {
        for block in function.regions().into_iter().flat_map(|r| r.blocks()) {
            inline_splats(block);
        }
    }
    Ok(())
}
