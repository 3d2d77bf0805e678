//! Which candidates to try next: the neighbours of the best ones so far, better ones first.
//!
//! A local search from several points: a schedule has some ten keys, each with a handful of values near the current one, and
//! what makes a kernel fast changes little from one value to the next. Neighbours are drawn at random, those of a better
//! candidate twice as often as those of the next one; a quarter of the proposals changes two keys at once, as two
//! sizes of a tile often must.
use crate::{candidate::Candidate, space::Space};
use rand_pcg::{Pcg64Mcg, rand_core::Rng};
use std::collections::BTreeSet;

/// The number of candidates whose neighbours are tried.
const ELITE: usize = 6;

/// A candidate that others start from.
#[derive(Debug, Clone)]
struct Elite {
    candidate: Candidate,
    space: Space,
    /// Its time, as a part of the current kernel's.
    ratio: f64,
}

/// The state of a search.
#[derive(Debug)]
pub(crate) struct Search {
    random: Pcg64Mcg,
    seen: BTreeSet<Candidate>,
    elite: Vec<Elite>,
}

impl Search {
    /// Starts from a number: the same number and results give the same proposals.
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Pcg64Mcg::new(u128::from(seed) << 1 | 1), seen: BTreeSet::new(), elite: Vec::new() }
    }

    /// Never proposes this one.
    pub(crate) fn mark(&mut self, candidate: &Candidate) {
        self.seen.insert(candidate.clone());
    }

    /// Learns how fast a candidate is, and what may be changed in it.
    pub(crate) fn learn(&mut self, candidate: &Candidate, space: &Space, ratio: f64) {
        self.mark(candidate);
        self.elite.retain(|e| e.candidate != *candidate);
        self.elite.push(Elite { candidate: candidate.clone(), space: space.clone(), ratio });
        self.elite.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        self.elite.truncate(ELITE);
    }

    /// At most this many new candidates; none when all neighbours were proposed.
    pub(crate) fn propose(&mut self, most: usize) -> Vec<Candidate> {
        let mut pools: Vec<Vec<Candidate>> =
            self.elite.iter().map(|e| self.fresh(e.space.neighbours(&e.candidate))).collect();
        let mut proposals = Vec::new();
        while proposals.len() < most && pools.iter().any(|p| !p.is_empty()) {
            let at = self.rank(pools.len());
            let Some(pool) = pools.get_mut(at).filter(|p| !p.is_empty()) else { continue };
            let pick = below(&mut self.random, pool.len());
            let single = pool.swap_remove(pick);
            let double = (below(&mut self.random, 4) == 0).then(|| {
                let all = self.elite[at].space.neighbours(&single);
                (!all.is_empty()).then(|| all[below(&mut self.random, all.len())].clone())
            });
            for candidate in [double.flatten(), Some(single)].into_iter().flatten() {
                if proposals.len() < most && self.seen.insert(candidate.clone()) {
                    proposals.push(candidate);
                }
            }
        }
        proposals
    }

    fn fresh(&self, mut all: Vec<Candidate>) -> Vec<Candidate> {
        all.retain(|c| !self.seen.contains(c));
        all
    }

    /// A place in the elite: the first one half of the time, the second a quarter of it, and so on.
    fn rank(&mut self, count: usize) -> usize {
        (self.random.next_u64().trailing_ones() as usize) % count.max(1)
    }
}

/// A number from 0 to one below `end`, which is not 0.
fn below(random: &mut Pcg64Mcg, end: usize) -> usize {
    ((u128::from(random.next_u64()) * end as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A kernel whose best tile is [64, 6] with 3 workgroups, from another one.
    fn kernel(tile: [i64; 2], groups: i64) -> (Space, f64) {
        let sizes: Vec<i64> = (1..=16).map(|n| 16 * n).collect();
        let space = Space::read(&[vec![json!({
            "tile": {"value": tile, "legal": {"each": [sizes, (1..=16).collect::<Vec<_>>()]}},
            "workgroups": {"value": groups, "legal": (1..=64).collect::<Vec<_>>()}
        })]]);
        let far = |a: i64, b: i64| (a as f64 / b as f64).ln().abs();
        (space.unwrap(), 0.5 + far(tile[0], 64) + far(tile[1], 6) + 0.1 * far(groups, 3))
    }

    fn read(candidate: &Candidate) -> ([i64; 2], i64) {
        let text = candidate.schedule(1);
        let numbers = |key: &str| -> Option<Vec<i64>> {
            let rest = &text[text.find(key)? + key.len()..];
            let end = rest.find([']', '}']).unwrap_or(rest.len());
            let list = rest[..end].split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok());
            Some(list.collect())
        };
        let tile = numbers("tile = [").map_or([48, 9], |t| [t[0], t[1]]);
        (tile, numbers("workgroups = ").map_or(20, |w| w[0]))
    }

    #[test]
    fn finds_the_best_of_sixteen_thousand_in_two_hundred() {
        let found = (0..20).filter(|&seed| {
            let mut search = Search::new(seed);
            let (space, ratio) = kernel([48, 9], 20);
            search.learn(&Candidate::default(), &space, ratio);
            let mut best = ratio;
            for _ in 0..12 {
                for candidate in search.propose(16) {
                    let (tile, groups) = read(&candidate);
                    let (space, ratio) = kernel(tile, groups);
                    search.learn(&candidate, &space, ratio);
                    best = best.min(ratio);
                }
            }
            best < 0.56
        });
        assert!(found.count() >= 18);
    }

    #[test]
    fn the_same_seed_proposes_the_same_and_nothing_twice() {
        let run = || {
            let mut search = Search::new(7);
            let (space, ratio) = kernel([48, 9], 20);
            search.learn(&Candidate::default(), &space, ratio);
            (0..3).flat_map(|_| search.propose(8)).collect::<Vec<_>>()
        };
        let all = run();
        assert_eq!(all, run());
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }
}
