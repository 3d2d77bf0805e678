//! The named sequences of a module of the transform dialect.
use halyard_ir::Op;

/// The named sequences of a transform script.
pub(super) fn sequences(root: Op) -> Vec<Op> {
    let ops = root.body_ops();
    ops.into_iter().filter(|op| op.is("transform.named_sequence")).collect()
}
