//! Places transients in one arena: transients that are live at the same time get disjoint ranges, others may share.

/// Every transient starts at a multiple of this, as kernels for the CPU expect.
pub(crate) const ALIGNMENT: u64 = 64;
/// The alignment where kernels run on GPUs: the largest that a Vulkan device may require ("Required Limits").
pub(crate) const DEVICE_ALIGNMENT: u64 = 256;

/// A transient: how large it is, and from which step to which (both included) its contents matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) bytes: u64,
}

impl Interval {
    #[cfg(test)]
    fn meets(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// An offset for each transient, a multiple of `alignment`, and the size of the arena.
///
/// Greedy by size: the largest are placed first, each in the smallest gap that fits between those that it meets, which
/// is known to come close to the lower bound on neural networks (Pisarchyk and Lee, "Efficient Memory Management for
/// Deep Neural Net Inference", 2020).
pub(crate) fn plan(intervals: &[Interval], alignment: u64) -> (Vec<u64>, u64) {
    let mut order: Vec<usize> = (0..intervals.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(intervals[i].bytes), intervals[i].first, i));
    let mut offsets = vec![0; intervals.len()];
    let mut placed = Placed::new(intervals);
    let mut arena = 0;
    for i in order {
        let size = intervals[i].bytes.next_multiple_of(alignment);
        if size == 0 {
            continue;
        }
        let mut best: Option<(u64, u64)> = None;
        let mut free_from = 0;
        let mut live: Vec<(u64, u64)> = placed
            .meeting(i)
            .map(|m| (offsets[m], offsets[m] + intervals[m].bytes.next_multiple_of(alignment)))
            .collect();
        live.sort_unstable();
        for (start, end) in live {
            if start >= free_from + size && best.is_none_or(|(gap, _)| start - free_from < gap) {
                best = Some((start - free_from, free_from));
            }
            free_from = free_from.max(end);
        }
        let offset = best.map_or(free_from, |(_, offset)| offset);
        offsets[i] = offset;
        arena = arena.max(offset + size);
        placed.add(i);
    }
    (offsets, arena)
}

/// The transients that have a place, found by when they are live: in a long program few are at the same time.
struct Placed<'i> {
    intervals: &'i [Interval],
    /// The steps at which transients begin, ascending.
    begins: Vec<u32>,
    /// Those that begin at each.
    beginning: Vec<Vec<usize>>,
    /// A segment tree over `begins`, the root at 1: those that are live in all of a node's part, and not in all of its parent's.
    through: Vec<Vec<usize>>,
}

impl<'i> Placed<'i> {
    /// None of them.
    fn new(intervals: &'i [Interval]) -> Self {
        let mut begins: Vec<u32> = intervals.iter().map(|i| i.first).collect();
        begins.sort_unstable();
        begins.dedup();
        let (beginning, through) = (vec![Vec::new(); begins.len()], vec![Vec::new(); 2 * begins.len()]);
        Self { intervals, begins, beginning, through }
    }

    /// The range of `begins` at which one is live.
    fn range(&self, i: usize) -> std::ops::Range<usize> {
        let Interval { first, last, .. } = self.intervals[i];
        self.begins.partition_point(|b| *b < first)..self.begins.partition_point(|b| *b <= last)
    }

    fn add(&mut self, i: usize) {
        let range = self.range(i);
        self.beginning[range.start].push(i);
        let (mut low, mut high) = (range.start + self.begins.len(), range.end + self.begins.len());
        while low < high {
            if low % 2 == 1 {
                self.through[low].push(i);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                self.through[high].push(i);
            }
            (low, high) = (low / 2, high / 2);
        }
    }

    /// Those that are live at a step of one: when it begins, or they begin after that.
    fn meeting(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let range = self.range(i);
        let up = std::iter::successors(Some(range.start + self.begins.len()), |n| (*n > 1).then_some(n / 2));
        let before = up.flat_map(|node| &self.through[node]);
        before.chain(self.beginning[range].iter().skip(1).flatten()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_chain_needs_the_two_largest_neighbours() {
        let chain: Vec<_> = (0..10u32).map(|i| Interval { first: i, last: i + 1, bytes: 640 }).collect();
        let (_, arena) = plan(&chain, ALIGNMENT);
        assert_eq!(arena, 1280);
    }

    fn intervals() -> impl Strategy<Value = Vec<Interval>> {
        let one = (0u32..50, 0u32..20, 0u64..5000).prop_map(|(first, length, bytes)| Interval {
            first,
            last: first + length,
            bytes,
        });
        prop::collection::vec(one, 0..60)
    }

    /// The same, looking at all that have a place each time.
    fn by_all(intervals: &[Interval], alignment: u64) -> Vec<u64> {
        let mut order: Vec<usize> = (0..intervals.len()).filter(|&i| intervals[i].bytes > 0).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(intervals[i].bytes), intervals[i].first, i));
        let mut offsets = vec![0; intervals.len()];
        let mut placed: Vec<(u64, u64, usize)> = Vec::new();
        for i in order {
            let size = intervals[i].bytes.next_multiple_of(alignment);
            let (mut best, mut free_from) = (None::<(u64, u64)>, 0);
            for &(start, end, _) in placed.iter().filter(|p| intervals[i].meets(&intervals[p.2])) {
                if start >= free_from + size && best.is_none_or(|(gap, _)| start - free_from < gap) {
                    best = Some((start - free_from, free_from));
                }
                free_from = free_from.max(end);
            }
            offsets[i] = best.map_or(free_from, |(_, offset)| offset);
            placed.push((offsets[i], offsets[i] + size, i));
            placed.sort_unstable();
        }
        offsets
    }

    proptest! {
        #[test]
        fn places_are_those_that_a_look_at_all_gives(intervals in intervals(), alignment in prop_oneof![Just(ALIGNMENT), Just(DEVICE_ALIGNMENT)]) {
            prop_assert_eq!(plan(&intervals, alignment).0, by_all(&intervals, alignment));
        }

        #[test]
        fn live_transients_never_overlap(intervals in intervals(), alignment in prop_oneof![Just(ALIGNMENT), Just(DEVICE_ALIGNMENT)]) {
            let (offsets, arena) = plan(&intervals, alignment);
            for (i, a) in intervals.iter().enumerate() {
                prop_assert!(offsets[i] % alignment == 0 && offsets[i] + a.bytes <= arena);
                for (j, b) in intervals.iter().enumerate().skip(i + 1) {
                    let apart = offsets[i] + a.bytes <= offsets[j] || offsets[j] + b.bytes <= offsets[i];
                    prop_assert!(!a.meets(b) || apart, "{i} and {j}");
                }
            }
            let least = (0..75).map(|t| intervals.iter().filter(|i| i.first <= t && t <= i.last).map(|i| i.bytes).sum::<u64>()).max().unwrap_or(0);
            prop_assert!(arena >= least);
        }
    }
}
