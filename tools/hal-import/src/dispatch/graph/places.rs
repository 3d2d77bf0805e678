//! Places of groups in an order in which each comes after what it needs: a detour from one group to another never leads beyond
//! the place of its end, so that looking for one is looking at what lies between.
use super::Graph;
use std::collections::BTreeSet;

impl Graph {
    /// Whether there is a way from one group to another through a third.
    pub(in super::super) fn has_detour(&self, from: usize, to: usize) -> bool {
        let mut seen = BTreeSet::from([from]);
        let end = self.place[to];
        let mut stack: Vec<usize> = self.next(from).filter(|g| *g != to && self.place[*g] < end).collect();
        while let Some(g) = stack.pop() {
            if g == to {
                return true;
            }
            if seen.insert(g) {
                stack.extend(self.next(g).filter(|n| self.place[*n] <= end));
            }
        }
        false
    }

    /// The groups between two places that a group needs, itself among them.
    fn needed(&self, group: usize, first: usize) -> BTreeSet<usize> {
        let mut seen = BTreeSet::from([group]);
        let mut stack = vec![group];
        while let Some(g) = stack.pop() {
            for b in self.members[g].iter().flat_map(|m| &self.before[*m]).map(|b| self.group[*b]) {
                if self.place[b] > first && seen.insert(b) {
                    stack.push(b);
                }
            }
        }
        seen
    }

    /// Finds the place for two groups that become one: after what the later one needs, before all else that lies between.
    pub(super) fn join_places(&mut self, from: usize, into: usize) {
        let (early, late) = if self.place[from] < self.place[into] { (from, into) } else { (into, from) };
        let (first, last) = (self.place[early], self.place[late]);
        let needed = self.needed(late, first);
        let between: Vec<usize> = self.at[first..=last].iter().copied().filter(|g| *g != early && *g != late).collect();
        let (before, after): (Vec<usize>, Vec<usize>) = between.into_iter().partition(|g| needed.contains(g));
        // What is left of the other one has nothing in it, and stands at the end.
        for (place, group) in (first..=last).zip(before.into_iter().chain([into]).chain(after).chain([from])) {
            self.at[place] = group;
            self.place[group] = place;
        }
    }
}
