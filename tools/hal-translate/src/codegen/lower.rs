//! From scf, vector, memref, arith and math to the LLVM dialect.
use super::{floats::Floats, functions};
use crate::target::CpuTarget;
use halyard_diag::Result;
use halyard_ir::{Module, Op, Session};

/// Lowers a module in place. `buffers` says that there may be memrefs and linalg in it. Gives whether the module computes
/// with floats of 16 bits or less. Errors: an operation that no pass lowers, with its place.
pub(super) fn to_llvm_dialect(
    session: &Session,
    module: &Module<'_>,
    target: &CpuTarget,
    buffers: bool,
) -> Result<bool> {
    functions::lower(session, module)?;
    let found = Floats::of(Op::from(module));
    let floats = found.passes(target);
    let metadata = if buffers { "expand-strided-metadata,lower-affine,canonicalize,cse," } else { "" };
    let memory = if buffers { "finalize-memref-to-llvm{use-aligned-alloc=true},convert-complex-to-llvm," } else { "" };
    let reductions = if buffers && holds(module, "vector.multi_reduction") {
        "func.func(lower-vector-multi-reduction),"
    } else {
        ""
    };
    // The order matters: vectors become loops before loops become branches; library functions take vectors apart, so they
    // come before vectors are lowered; reconciling comes last.
    let pipeline = format!(
        "builtin.module(\
            canonicalize,cse,loop-invariant-code-motion,\
            {reductions}\
            func.func(convert-vector-to-scf{{full-unroll=true}}),\
            {floats}{metadata}\
            convert-scf-to-cf,\
            convert-math-to-funcs,convert-math-to-llvm,convert-math-to-libm,\
            convert-vector-to-llvm{{reassociate-fp-reductions=true}},\
            {memory}\
            convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,\
            convert-ub-to-llvm,reconcile-unrealized-casts)"
    );
    run(session, module, &pipeline)?;
    unconverted(session, module)?;
    Ok(found.narrow())
}

fn holds(module: &Module<'_>, name: &str) -> bool {
    let mut found = false;
    Op::from(module).walk(&mut |op| found |= op.is(name));
    found
}

/// Runs passes on IR of our own making, verified at the end only: verifying after each pass takes a fifth of the time.
pub(super) fn run(session: &Session, module: &Module<'_>, pipeline: &str) -> Result<()> {
    session.run_pipeline_on(Op::from(module), pipeline, false)?;
    if Op::from(module).verify() { Ok(()) } else { Err(session.error("the generated code is not valid")) }
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
