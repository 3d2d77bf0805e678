//! Where the match of a PDL pattern begins.
use halyard_ir::Op;

/// The operation of a pattern that a match is found by: what `pdl.rewrite` names, else one that feeds no other.
pub(super) fn root_of(pattern: Op) -> Option<Op> {
    let body = pattern.body()?.ops();
    let rewrite = body.iter().find(|op| op.is("pdl.rewrite"))?;
    // Its operands are the root, if there is one, and the arguments of a native rewrite, which there is not.
    if let Some(root) = rewrite.operands().first().and_then(|v| v.def()) {
        return Some(root);
    }
    let feeds = |op: &Op| {
        let results = op.result(0).uses().into_iter().filter(|(u, _)| u.is("pdl.result") || u.is("pdl.results"));
        results.flat_map(|(u, _)| u.result(0).uses()).any(|(u, _)| u.is("pdl.operation") && u.parent() == Some(pattern))
    };
    body.iter().copied().find(|op| op.is("pdl.operation") && !feeds(op))
}
