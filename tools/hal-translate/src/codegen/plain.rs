//! Finds exports that became plain loops and deserve a warning, and the place to report.
use halyard_diag::Diagnostic;
use halyard_ir::{
    Op, Session, Structured,
    form::{Export, Interface},
    is_contraction, is_convolution,
};

/// Exports whose tensors have fewer elements in all are fast enough in any form: a loop over them takes some microseconds.
const SMALL: i64 = 4096;

/// A warning that an export became plain loops, unless it is small. `how` says which loops; `why` is what the kernel compiler said, which
/// names the operation that it does not know in quotes.
pub(crate) fn warning(session: &Session, export: Op, how: &str, why: &str) -> Option<Diagnostic> {
    if is_small(export) {
        return None;
    }
    let name = Export { op: export }.name();
    let message = format!("export `@{name}` becomes plain loops {how}: the kernel compiler does not support {why}");
    let hint =
        "tile and vectorise it with a transform script (`--preprocess-executables-with`), or substitute a kernel";
    Some(at(session, first(export, |op| why.contains(&format!("`{}`", op.name()))).unwrap_or(export), message, hint))
}

/// Returns the warning for a matrix product, convolution or reduction that a script left in an export that it tiled or
/// vectorised.
pub(crate) fn warning_of_rest(session: &Session, export: Op) -> Option<Diagnostic> {
    let left = left_over(export).filter(|_| !is_small(export))?;
    let name = Export { op: export }.name();
    let message = format!("`{}` of export `@{name}` becomes plain loops: it is not vectorised", left.name());
    Some(at(session, left, message, "vectorise it in the transform script: `transform.structured.vectorize`"))
}

/// A warning that the workgroups of an export have one thread each on a GPU, unless it is small.
pub(crate) fn warning_of_one_thread(session: &Session, export: Op) -> Option<Diagnostic> {
    let forall = first(export, |op| op.is("scf.forall")).filter(|_| !is_small(export))?;
    let name = Export { op: export }.name();
    let message = format!("each workgroup of export `@{name}` has one thread, and a GPU is slow with that");
    Some(
        at(session, forall, message, "tile what is inside again, with a loop that is mapped to `#gpu.thread<x>`")
            .code("one-thread"),
    )
}

/// Whether an export contains vectors, so that its author chose its loops.
pub(crate) fn has_vectors(export: Op) -> bool {
    first(export, |op| op.is_of("vector")).is_some()
}

/// The first linear algebra in an export that reduces something.
pub(crate) fn left_over(export: Op) -> Option<Op> {
    let reduces = |op: Op| Structured::of(op).is_some_and(|s| op.result_count() > 0 && s.parallel().contains(&false));
    first(export, |op| {
        let linalg = op.is_of("linalg");
        linalg && (op.is("linalg.softmax") || is_contraction(op) || is_convolution(op) || reduces(op))
    })
}

fn is_small(export: Op) -> bool {
    let interface = Interface::of_kernel(export);
    let tensors = interface.inputs.iter().chain(&interface.results).filter(|ty| ty.is_tensor());
    let sum = tensors.map(|ty| ty.element_count()).try_fold(0i64, |sum, n| Some(sum.saturating_add(n?)));
    sum.is_some_and(|n| n < SMALL)
}

fn first(export: Op, wanted: impl Fn(Op) -> bool) -> Option<Op> {
    let mut found = None;
    export.walk(&mut |op| {
        if found.is_none() && op != export && wanted(op) {
            found = Some(op);
        }
    });
    found
}

fn at(session: &Session, op: Op, message: String, hint: &str) -> Diagnostic {
    let warning = Diagnostic::warning(message).code("plain-loops").hint(hint);
    warning.at(session.span(op))
}
