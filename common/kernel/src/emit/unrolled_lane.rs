//! A lane of an unrolled loop.
use crate::emit::index::LaneIndex;
use halyard_ir::Value;

/// One of the vectors or elements along an unrolled and jammed loop.
#[derive(Clone)]
pub(crate) struct UnrolledLane {
    /// Its index.
    pub(crate) idx: LaneIndex,
    /// Its lanes that are within bounds.
    pub(crate) mask: Option<Value>,
}
