//! The memory plan: which transient lies where in the arena, and from which node to which.
use super::Graph;
use halyard_runtime::commands::Function;
use serde::Serialize;

/// A transient in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Lifetime {
    /// Its start in the arena, in bytes.
    pub(crate) offset: u64,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// The first node that uses it.
    pub(crate) first: usize,
    /// The last node that uses it.
    pub(crate) last: usize,
}

/// The transients that are used and not empty, in the order of the program.
pub(crate) fn lifetimes(graph: &Graph, function: &Function) -> Vec<Lifetime> {
    let used = function.transients.iter().zip(&graph.transients).filter(|(t, _)| t.bytes > 0);
    used.filter_map(|(t, life)| {
        let (first, last) = (*life)?;
        Some(Lifetime { offset: t.offset, bytes: t.bytes, first, last })
    })
    .collect()
}
