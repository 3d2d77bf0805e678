//! Handles `If` whose branches return different ranks, as exporters write `squeeze` of an unknown size. Usually the
//! rest of the model is valid with only one of the two: trying both finds it, and a run that would take the other one
//! fails.
use super::super::OnnxWeight;
use halyard_diag::Result;
use std::collections::BTreeMap;

/// The branches that are taken, by the first output of the node: whether it is `then_branch`.
pub(crate) type Choices = BTreeMap<String, bool>;

/// A model that leaves more open is refused.
const MOST: usize = 32;

/// Imports by `attempt`, with those choices that the rest of the model leaves no doubt about.
pub(super) fn chosen(attempt: impl Fn(&Choices) -> Result<Attempt>) -> Result<Attempt> {
    let mut choices = Choices::new();
    let mut now = attempt(&choices)?;
    while let Some(node) = now.open.first().cloned().filter(|node| choices.len() < MOST && !choices.contains_key(node))
    {
        let mut fitting = Vec::new();
        for then in [true, false] {
            choices.insert(node.clone(), then);
            // Errors that appear with this choice count against it.
            if let Ok(next) = attempt(&choices)
                && next.problems <= now.problems
            {
                fitting.push((then, next));
            }
        }
        let Some((then, next)) = fitting.pop().filter(|_| fitting.is_empty()) else {
            choices.remove(&node);
            return Ok(now);
        };
        choices.insert(node, then);
        now = next;
    }
    Ok(now)
}

/// The result of an attempt to import.
pub(super) struct Attempt {
    pub(super) module: Result<(String, Vec<OnnxWeight>)>,
    /// The sizes that are not fixed, where there is no module.
    pub(super) sizes: Vec<crate::sizes::DimRule>,
    /// See [`Importer::undecided`].
    pub(super) open: Vec<String>,
    /// The number of other errors.
    pub(super) problems: usize,
}
