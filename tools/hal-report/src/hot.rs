//! Hot spots: on which instructions of kernels the samples of a timer fall, and which part of a long kernel is shown.
use crate::{assembly::Listing, data::HotData};
use halyard_runtime::{CodePlace, TimeSample};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

/// The most lines of a kernel that are shown: enough to see its loops; the command for all of it is shown.
const LINES: usize = 600;
/// Lines around a hot one, where not all are shown.
const AROUND: usize = 12;
/// Fewer samples in a kernel say nothing.
const ENOUGH: u64 = 10;

/// The samples of each function, by symbol.
#[derive(Debug, Default)]
pub(crate) struct HotSpots(BTreeMap<String, Spots>);

/// The samples of a function.
#[derive(Debug, Default)]
struct Spots {
    /// How often each place was sampled, by its offset.
    counts: BTreeMap<u64, u64>,
    /// The threads that were there.
    threads: BTreeSet<u16>,
}

impl HotSpots {
    /// Counts the samples at addresses of this process.
    pub(crate) fn of(samples: &[TimeSample]) -> Self {
        let mut all = Self::default();
        for (place, thread) in samples.iter().filter_map(|s| Some((CodePlace::of(s.address)?, s.thread))) {
            let spots = all.0.entry(place.symbol).or_default();
            *spots.counts.entry(place.offset).or_default() += 1;
            spots.threads.insert(thread);
        }
        all
    }

    /// The lines of a kernel that are shown, and the samples on them; none if there are too few. Of a kernel with too many
    /// lines these are its beginning, and what is around the hottest ones.
    pub(crate) fn shown(&self, symbol: &str, listing: &Listing) -> (String, Option<HotData>) {
        let nothing = Spots::default();
        let spots = self.0.get(symbol).unwrap_or(&nothing);
        let counts = count_lines(listing, &spots.counts);
        let samples: u64 = counts.values().sum();
        let hot = samples >= ENOUGH;
        let kept = kept(listing.len(), if hot { &counts } else { &nothing.counts });
        let (mut text, mut lines, mut shown) = (String::new(), Vec::new(), 0);
        let mut next = 0;
        for line in kept {
            if line > next {
                let _ = writeln!(text, "… {} lines", line - next);
                shown += 1;
            }
            let _ = writeln!(text, "{}", listing[line].1);
            lines.extend(counts.get(&(line as u64)).map(|count| (shown, *count)));
            (next, shown) = (line + 1, shown + 1);
        }
        if next < listing.len() {
            let _ = writeln!(text, "… {} more lines", listing.len() - next);
        }
        (text, hot.then_some(HotData { samples, threads: spots.threads.len(), lines }))
    }
}

/// The samples of each line: those between an instruction and the next one are the former's.
fn count_lines(listing: &Listing, counts: &BTreeMap<u64, u64>) -> BTreeMap<u64, u64> {
    let starts: Vec<(u64, u64)> =
        listing.iter().enumerate().filter_map(|(i, (offset, _))| Some(((*offset)?, i as u64))).collect();
    let mut lines = BTreeMap::new();
    for (offset, count) in counts {
        let after = starts.partition_point(|(start, _)| start <= offset);
        if let Some((_, line)) = after.checked_sub(1).map(|at| starts[at]) {
            *lines.entry(line).or_default() += count;
        }
    }
    lines
}

/// The lines that are shown of so many.
fn kept(count: usize, hot: &BTreeMap<u64, u64>) -> BTreeSet<usize> {
    if count <= LINES || hot.is_empty() {
        return (0..count.min(LINES)).collect();
    }
    let mut lines: BTreeSet<usize> = (0..AROUND).collect();
    let mut hottest: Vec<(&u64, &u64)> = hot.iter().collect();
    hottest.sort_by_key(|(line, samples)| (std::cmp::Reverse(**samples), **line));
    for (line, _) in hottest {
        let line = *line as usize;
        let around = line.saturating_sub(AROUND)..(line + AROUND + 1).min(count);
        if lines.len() + around.len() > LINES {
            break;
        }
        lines.extend(around);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(count: u64) -> Listing {
        (0..count).map(|i| (Some(4 * i), format!("    i{i}"))).collect()
    }

    fn spots(of: &[(u64, u64)]) -> HotSpots {
        let spots = Spots { counts: of.iter().copied().collect(), threads: [0, 3].into() };
        HotSpots([("k".to_owned(), spots)].into())
    }

    #[test]
    fn samples_are_on_their_lines() {
        let mut listing = listing(3);
        listing.insert(1, (None, "<L0>:".into()));
        let (text, hot) = spots(&[(4, 5), (6, 4), (9, 3)]).shown("k", &listing);
        assert_eq!(text, "    i0\n<L0>:\n    i1\n    i2\n");
        let hot = hot.unwrap();
        assert_eq!((hot.samples, hot.threads, hot.lines), (12, 2, vec![(2, 9), (3, 3)]));
    }

    #[test]
    fn few_samples_are_none() {
        assert!(spots(&[(0, 3)]).shown("k", &listing(2)).1.is_none());
        assert!(spots(&[(0, 30)]).shown("other", &listing(2)).1.is_none());
    }

    #[test]
    fn long_kernels_are_shown_where_they_are_hot() {
        let (text, hot) = spots(&[(4 * 1500, 50), (4 * 1501, 60)]).shown("k", &listing(2000));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[12], lines[13]), ("    i0", "… 1476 lines", "    i1488"));
        let named: Vec<(&str, u64)> = hot.unwrap().lines.iter().map(|(at, count)| (lines[*at], *count)).collect();
        assert_eq!(named, [("    i1500", 50), ("    i1501", 60)]);
        assert!(lines.last().unwrap().ends_with("more lines") && lines.len() < LINES);
        let (cold, _) = spots(&[]).shown("k", &listing(2000));
        assert!(cold.ends_with("    i599\n… 1400 more lines\n"));
    }
}
