//! Computes the dominators of the blocks of a function.
use std::collections::{HashMap, HashSet};

/// Blocks so that each comes after those that it is reached from, but by loops.
fn postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let (mut seen, mut order, mut open) = (HashSet::from([0]), Vec::new(), vec![(0, 0)]);
    while let Some((block, next)) = open.pop() {
        match successors[block].get(next) {
            Some(&to) => {
                open.push((block, next + 1));
                if seen.insert(to) {
                    open.push((to, 0));
                }
            }
            None => order.push(block),
        }
    }
    order
}

/// Returns the immediate dominator of each block, by its number, with "A Simple, Fast Dominance Algorithm" (Cooper,
/// Harvey, Kennedy). It is `None` for unreachable blocks; the first block is its own.
pub(in crate::spirv::valid) fn dominators(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let order = postorder(successors);
    let rank: HashMap<usize, usize> = order.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, next) in successors.iter().enumerate() {
        next.iter().for_each(|&to| predecessors[to].push(from));
    }
    let mut dominator: Vec<Option<usize>> = vec![None; successors.len()];
    dominator[0] = Some(0);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &block in order.iter().rev().skip(1) {
            let mut new: Option<usize> = None;
            for &from in predecessors[block].iter().filter(|&&p| dominator[p].is_some()) {
                new = Some(new.map_or(from, |mut a| {
                    let mut b = from;
                    while a != b {
                        while rank[&a] < rank[&b] {
                            a = dominator[a].unwrap_or(0);
                        }
                        while rank[&b] < rank[&a] {
                            b = dominator[b].unwrap_or(0);
                        }
                    }
                    a
                }));
            }
            if dominator[block] != new {
                dominator[block] = new;
                changed = true;
            }
        }
    }
    dominator
}
