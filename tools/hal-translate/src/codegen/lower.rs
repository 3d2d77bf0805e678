//! From scf, vector, memref, arith and math to the LLVM dialect.
use super::floats::Floats;
use crate::target::CpuTarget;
use halyard_diag::Result;
use halyard_ir::{Module, Op, Session};

/// Lowers a module in place. Errors: an operation that no pass lowers, with its place.
pub(super) fn to_llvm_dialect(session: &Session, module: &Module<'_>, target: &CpuTarget) -> Result<()> {
    let floats = Floats::of(Op::from(module)).passes(target);
    // The order matters: vectors become loops before loops become branches; library functions take vectors apart, so they
    // come before vectors are lowered; reconciling comes last.
    let pipeline = format!(
        "builtin.module(\
            canonicalize,cse,loop-invariant-code-motion,\
            func.func(convert-vector-to-scf{{full-unroll=true}}),\
            {floats}\
            expand-strided-metadata,lower-affine,canonicalize,cse,\
            convert-scf-to-cf,\
            convert-math-to-funcs,convert-math-to-llvm,convert-math-to-libm,\
            convert-vector-to-llvm{{reassociate-fp-reductions=true}},\
            finalize-memref-to-llvm{{use-aligned-alloc=true}},\
            convert-arith-to-llvm,convert-index-to-llvm,convert-complex-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,\
            convert-ub-to-llvm,reconcile-unrealized-casts)"
    );
    session.run_pipeline(module, &pipeline)?;
    unconverted(session, module)
}

/// Names what is left of other dialects. MLIR's own message would name one operation without its place.
fn unconverted(session: &Session, module: &Module<'_>) -> Result<()> {
    let mut left: Vec<Op> = Vec::new();
    Op::from(module).walk(&mut |op| {
        let name = op.name();
        if !name.starts_with("llvm.") && name != "builtin.module" {
            left.push(op);
        }
    });
    // A cast that is left over is the trace of an operation that did not convert; name the operation itself if there is one.
    let culprits: Vec<Op> = left.iter().copied().filter(|op| !op.is("builtin.unrealized_conversion_cast")).collect();
    let Some(&first) = culprits.first().or(left.first()) else { return Ok(()) };
    let error = halyard_diag::Error::input(format!("operation `{}` cannot be translated for a CPU", first.name()))
        .code("unsupported-op");
    Err(match session.span(first) {
        Some(span) => error.at(span),
        None => error,
    })
}
