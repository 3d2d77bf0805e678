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
    let mut placed: Vec<(u64, u64, usize)> = Vec::new();
    let mut arena = 0;
    for i in order {
        let size = intervals[i].bytes.next_multiple_of(alignment);
        if size == 0 {
            continue;
        }
        let mut best: Option<(u64, u64)> = None;
        let mut free_from = 0;
        // `placed` is sorted by offset.
        for &(start, end, other) in &placed {
            if !intervals[i].meets(&intervals[other]) {
                continue;
            }
            if start >= free_from + size && best.is_none_or(|(gap, _)| start - free_from < gap) {
                best = Some((start - free_from, free_from));
            }
            free_from = free_from.max(end);
        }
        let offset = best.map_or(free_from, |(_, offset)| offset);
        offsets[i] = offset;
        arena = arena.max(offset + size);
        let at = placed.partition_point(|p| p.0 < offset);
        placed.insert(at, (offset, offset + size, i));
    }
    (offsets, arena)
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

    proptest! {
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
