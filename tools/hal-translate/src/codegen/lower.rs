//! Runs passes on IR that this crate generated.
use halyard_diag::Result;
use halyard_ir::{Module, Op, Session};

/// Runs passes on IR of our own making, verified at the end only: verifying after each pass takes a fifth of the time.
pub(crate) fn run(session: &Session, module: &Module<'_>, pipeline: &str) -> Result<()> {
    session.run_pipeline_on(Op::from(module), pipeline, false)?;
    if Op::from(module).verify() { Ok(()) } else { Err(session.error("the generated code is not valid")) }
}
