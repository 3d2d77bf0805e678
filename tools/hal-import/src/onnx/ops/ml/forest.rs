//! Decision trees as in the model, and as arrays for kernels.
use crate::onnx::{
    Elem, Num, Outcome, Tensor, Value,
    problem::{invalid, unsupported},
};

/// Bits for the outcomes of `x ? split` for which a branch is true: less, equal, greater, unordered.
pub(super) const LESS: u8 = 1;
pub(super) const EQUAL: u8 = 2;
pub(super) const GREATER: u8 = 4;
pub(super) const UNORDERED: u8 = 8;

/// A child of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Child {
    Branch(usize),
    Leaf(usize),
}

impl Child {
    /// Returns the code in arrays: leaves are negative.
    fn code(self) -> i64 {
        match self {
            Self::Branch(at) => at as i64,
            Self::Leaf(at) => -1 - at as i64,
        }
    }
}

/// An inner node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    pub(super) feature: i64,
    pub(super) split: f64,
    /// The outcomes for which it is true.
    pub(super) truth: u8,
    pub(super) yes: Child,
    pub(super) no: Child,
}

/// The outcomes for which a branch of a mode is true.
pub(super) fn truth(mode: &str) -> Outcome<u8> {
    Ok(match mode {
        "BRANCH_LEQ" => LESS | EQUAL,
        "BRANCH_LT" => LESS,
        "BRANCH_GTE" => GREATER | EQUAL,
        "BRANCH_GT" => GREATER,
        "BRANCH_EQ" => EQUAL,
        // NaN is not equal to anything.
        "BRANCH_NEQ" => LESS | GREATER | UNORDERED,
        _ => return invalid(format!("a node is of mode `{mode}`")),
    })
}

/// Trees whose leaves have weights for targets.
pub(super) struct Forest {
    pub(super) branches: Vec<Branch>,
    pub(super) roots: Vec<Child>,
    /// The targets and weights of each leaf.
    pub(super) leaves: Vec<Vec<(usize, f64)>>,
    pub(super) targets: usize,
}

impl Forest {
    /// The most branches on a walk to a leaf. Errors: one that does not end at a leaf that is there.
    pub(super) fn check(&self) -> Outcome<usize> {
        let depth = |depths: &[usize], child| if let Child::Branch(at) = child { depths[at] } else { 0 };
        let exists = |child: &Child| match *child {
            Child::Branch(at) => at < self.branches.len(),
            Child::Leaf(at) => at < self.leaves.len(),
        };
        let children = self.branches.iter().flat_map(|b| [&b.yes, &b.no]);
        if !children.chain(&self.roots).all(exists) {
            return invalid("a branch leads to a node that is not there");
        }
        if self.branches.iter().any(|b| b.feature < 0 || b.feature > 1 << 26) {
            return invalid("the feature of a node is negative or out of all bounds");
        }
        if self.leaves.iter().flatten().any(|(target, _)| *target >= self.targets) {
            return invalid(format!("a leaf has a weight for a target beyond the {}", self.targets));
        }
        if self.branches.len().max(self.leaves.len()) > 1 << 30 {
            return unsupported("there are more than 2³⁰ nodes");
        }
        // State of a node: 0: not visited; 1: being visited; 2: every path from it ends, after this many branches.
        let mut state = vec![0u8; self.branches.len()];
        let mut depths = vec![0usize; self.branches.len()];
        for root in &self.roots {
            let mut way = vec![*root];
            while let Some(Child::Branch(at)) = way.last().copied() {
                if state[at] == 0 {
                    state[at] = 1;
                }
                let next = [self.branches[at].yes, self.branches[at].no].into_iter().find_map(|c| match c {
                    Child::Branch(next) if state[next] != 2 => Some(next),
                    _ => None,
                });
                match next {
                    Some(next) if state[next] == 1 => return invalid("a tree has a circle"),
                    Some(next) => way.push(Child::Branch(next)),
                    None => {
                        state[at] = 2;
                        let below = [self.branches[at].yes, self.branches[at].no].map(|c| depth(&depths, c));
                        depths[at] = 1 + below[0].max(below[1]);
                        way.pop();
                    }
                }
            }
        }
        Ok(self.roots.iter().map(|root| depth(&depths, *root)).max().unwrap_or(0))
    }

    /// Returns the least number of features in a row.
    pub(super) fn width(&self) -> i64 {
        self.branches.iter().map(|b| b.feature + 1).max().unwrap_or(0)
    }

    /// Returns the outcomes for which branches are true, if they are the same for all.
    pub(super) fn truth(&self) -> Option<u8> {
        let first = self.branches.first().map_or(LESS, |b| b.truth);
        self.branches.iter().all(|b| b.truth == first).then_some(first)
    }

    /// `[branches, 4]`: feature (with the outcomes in its low bits, where branches differ), bits of the split, where it leads
    /// if true and if not. Splits in f64 are a list of their own.
    pub(super) fn arrays(&self, name: &str, elem: Elem) -> (Value, Option<Value>) {
        let mixed = self.truth().is_none();
        let idle = Branch { feature: 0, split: 0.0, truth: LESS, yes: Child::Leaf(0), no: Child::Leaf(0) };
        let branches = if self.branches.is_empty() { std::slice::from_ref(&idle) } else { &self.branches };
        let record = |b: &Branch| {
            let feature = if mixed { b.feature << 4 | i64::from(b.truth) } else { b.feature };
            let bits = if elem == Elem::F32 { i64::from((b.split as f32).to_bits() as i32) } else { 0 };
            [feature, bits, b.yes.code(), b.no.code()]
        };
        let numbers: Vec<_> = branches.iter().flat_map(record).collect();
        let nodes = Tensor::from_ints(Elem::I32, &numbers).reshaped(vec![branches.len(), 4]);
        let nodes = Value::constant(nodes.named(Some(format!("{name}_nodes"))));
        let splits = (elem == Elem::F64).then(|| {
            let splits = branches.iter().map(|b| Num::F(b.split));
            let splits = Tensor::from_numbers(Elem::F64, vec![branches.len()], splits);
            Value::constant(splits.named(Some(format!("{name}_splits"))))
        });
        (nodes, splits)
    }

    /// The target of each tree, if every tree has but one and no leaf has two weights for it.
    pub(super) fn one_target_each(&self) -> Option<Vec<usize>> {
        self.roots
            .iter()
            .map(|root| {
                let mut target = None;
                let mut stack = vec![*root];
                // Branches may be shared; if the walk takes too many steps, `None` selects the general form.
                let mut patience = 4 * (self.branches.len() + self.leaves.len()) + 4;
                while let Some(child) = stack.pop() {
                    patience = patience.checked_sub(1)?;
                    match child {
                        Child::Branch(at) => stack.extend([self.branches[at].yes, self.branches[at].no]),
                        Child::Leaf(at) => match &self.leaves[at][..] {
                            [] => {}
                            [(own, _)] if target.is_none_or(|t| t == *own) => target = Some(*own),
                            _ => return None,
                        },
                    }
                }
                Some(target.unwrap_or(0))
            })
            .collect()
    }

    /// Returns the codes of roots in arrays.
    pub(super) fn codes(roots: &[Child]) -> Vec<i64> {
        roots.iter().map(|r| r.code()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forest(branches: &[(Child, Child)], leaves: usize) -> Forest {
        let branch = |(yes, no): &(Child, Child)| Branch { feature: 0, split: 0.0, truth: LESS, yes: *yes, no: *no };
        Forest {
            branches: branches.iter().map(branch).collect(),
            roots: vec![Child::Branch(0)],
            leaves: vec![vec![(0, 1.0)]; leaves],
            targets: 1,
        }
    }

    #[test]
    fn walks_must_end() {
        use Child::{Branch, Leaf};
        assert_eq!(forest(&[(Leaf(0), Branch(1)), (Leaf(0), Leaf(1))], 2).check().ok(), Some(2));
        assert!(forest(&[(Leaf(0), Branch(1)), (Leaf(0), Branch(0))], 1).check().is_err());
        assert!(forest(&[(Leaf(0), Branch(0))], 1).check().is_err());
        assert!(forest(&[(Leaf(0), Branch(1))], 1).check().is_err());
        assert!(forest(&[(Leaf(0), Leaf(1))], 1).check().is_err());
        // Shared, not a circle.
        assert!(forest(&[(Branch(1), Branch(1)), (Leaf(0), Leaf(0))], 1).check().is_ok());
    }
}
