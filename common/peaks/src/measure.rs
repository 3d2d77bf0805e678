//! Measures the peaks of this machine.
use crate::{
    ArithmeticKind, ArithmeticPeak, MemoryLevel, Peaks,
    burst::{Rates, Work, best_rates},
    caches::{DataCache, data_caches},
    kernels,
    machine::{is_busy, processor},
};
use std::hint::black_box;

/// The least and the most bytes that all threads together read from memory: more than caches hold.
const MEMORY: [u64; 2] = [128 << 20, 512 << 20];
/// A thread reads so much between two looks at the clock.
const PIECE: usize = 1 << 20;
const LINE: usize = 64;

/// Measures this machine with a number of threads, in about half a second.
pub fn measure(threads: usize) -> Peaks {
    let threads = threads.max(1);
    let busy = is_busy(threads);
    let arithmetic = ArithmeticKind::ALL.into_iter().map(|kind| arithmetic(kind, threads)).collect();
    let caches = data_caches();
    let mut levels: Vec<MemoryLevel> = Vec::new();
    let mut smaller = 0;
    for cache in &caches {
        // What is read must not be in the level before. A share of a cache that is no larger than that is no level.
        if cache.each(threads) < 2 * smaller {
            continue;
        }
        let bytes = working_set(*cache, threads, smaller);
        smaller = cache.each(threads);
        let rates = bandwidth(threads, bytes);
        // Hardware threads of one core share its caches, and do not exceed what it can do.
        let bandwidth = if cache.is_own() { rates.apart } else { rates.together };
        levels.push(MemoryLevel {
            name: format!("L{}", cache.level),
            capacity: Some(cache.capacity(threads)),
            bandwidth,
        });
    }
    let last = caches.last().map_or(0, |cache| cache.capacity(threads));
    let bytes = (8 * last).clamp(MEMORY[0], MEMORY[1]) / threads as u64;
    levels.push(MemoryLevel { name: "memory".into(), capacity: None, bandwidth: bandwidth(threads, bytes).together });
    // A level that is no faster than the next one is what the next one is: the figures are bounds.
    for i in (1..levels.len()).rev() {
        levels[i - 1].bandwidth = levels[i - 1].bandwidth.max(levels[i].bandwidth);
    }
    Peaks { machine: processor(), threads, arithmetic, levels, busy: busy || is_busy(threads) }
}

/// Bytes that a thread reads to measure a cache: half of its share, and more than the level before holds.
fn working_set(cache: DataCache, threads: usize, smaller: u64) -> u64 {
    let each = cache.each(threads);
    (each / 2).max((smaller * 2).min(each * 3 / 4))
}

fn arithmetic(kind: ArithmeticKind, threads: usize) -> ArithmeticPeak {
    let rates = kernels::arithmetic(kind).into_iter().map(|(by, kernel)| {
        let operations = best_rates(threads, |_| Box::new(move |times| kernel(times * 1000))).apart;
        ArithmeticPeak { kind, by: by.to_owned(), operations }
    });
    rates.max_by(|a, b| a.operations.total_cmp(&b.operations)).expect("every machine has a kernel")
}

/// Returns the bytes per second at which threads read; each reads its own `bytes` repeatedly.
fn bandwidth(threads: usize, bytes: u64) -> Rates {
    best_rates(threads, |_| -> Work<'static> {
        let data = Lines::new(bytes as usize);
        let reads = kernels::reads();
        // Small sets as a whole; of large ones, the next piece.
        let piece = PIECE.min(bytes as usize) / LINE * LINE / 8;
        let pieces = data.words().len() / piece;
        let (mut at, mut turn) = (0, 0);
        Box::new(move |times| {
            // One kind of read per burst, so that memory is not touched once more for each.
            let read = reads[turn % reads.len()];
            turn += 1;
            for _ in 0..times {
                read(black_box(&data.words()[at * piece..(at + 1) * piece]));
                at = (at + 1) % pieces;
            }
            (piece * 8) as f64 * times as f64
        })
    })
}

/// Memory that begins at a line of a cache, and is there: every page was written.
struct Lines {
    words: Vec<u64>,
    start: usize,
    length: usize,
}

impl Lines {
    fn new(bytes: usize) -> Self {
        let length = bytes.max(LINE) / 8;
        let words = vec![1; length + LINE / 8];
        let start = words.as_ptr().align_offset(LINE).min(LINE / 8);
        Self { words, start, length }
    }

    fn words(&self) -> &[u64] {
        &self.words[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn working_sets_lie_between_levels() {
        let cache = |bytes, shared_by| DataCache { level: 2, bytes, shared_by };
        assert_eq!(working_set(cache(32 << 10, 1), 4, 0), 16 << 10);
        assert_eq!(working_set(cache(1 << 20, 1), 4, 32 << 10), 512 << 10);
        // Sixteen threads have 2 MiB each of this, of which 1 MiB is in the level before.
        assert_eq!(working_set(cache(32 << 20, 16), 16, 1 << 20), (3 << 20) / 2);
    }

    #[test]
    fn figures_are_in_order() {
        let peaks = measure(1);
        assert_eq!((peaks.threads, peaks.arithmetic.len()), (1, 3));
        // A processor does at least 0.1 and at most 100000 operations per nanosecond.
        assert!(peaks.arithmetic.iter().all(|a| a.operations > 1e8 && a.operations < 1e14), "{peaks:?}");
        let [f32, f64] = [ArithmeticKind::F32, ArithmeticKind::F64].map(|kind| peaks.operations(kind).unwrap());
        assert!(f32 > f64 * 0.9, "{peaks:?}");
        assert!(peaks.levels.windows(2).all(|w| w[0].bandwidth >= w[1].bandwidth), "{peaks:?}");
        assert_eq!(peaks.levels.last().unwrap().name, "memory");
        assert!(peaks.levels.iter().all(|l| l.bandwidth > 1e7), "{peaks:?}");
    }
}
