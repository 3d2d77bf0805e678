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

    /// The groups before a place that need a group, without itself.
    fn needing(&self, group: usize, last: usize) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut stack = vec![group];
        while let Some(g) = stack.pop() {
            for n in self.next(g) {
                if self.place[n] < last && seen.insert(n) {
                    stack.push(n);
                }
            }
        }
        seen
    }

    /// Finds the place for two groups that become one: after what the later one needs, before what needs the earlier one. These
    /// share the places that they had; all else that lies between stays (Pearce and Kelly, "A Dynamic Topological Sort Algorithm
    /// for Directed Acyclic Graphs", 2007).
    pub(super) fn join_places(&mut self, from: usize, into: usize) {
        let (early, late) = if self.place[from] < self.place[into] { (from, into) } else { (into, from) };
        let (first, last) = (self.place[early], self.place[late]);
        let sorted = |groups: BTreeSet<usize>| {
            let mut groups: Vec<usize> = groups.into_iter().filter(|g| *g != late).collect();
            groups.sort_unstable_by_key(|g| self.place[*g]);
            groups
        };
        let (before, after) = (sorted(self.needed(late, first)), sorted(self.needing(early, last)));
        let mut places: Vec<usize> =
            before.iter().chain(&after).chain([&early, &late]).map(|g| self.place[*g]).collect();
        places.sort_unstable();
        // What is left of the other one has nothing in it, and stands at the end.
        for (place, group) in places.into_iter().zip(before.into_iter().chain([into]).chain(after).chain([from])) {
            self.place[group] = place;
        }
    }
}
