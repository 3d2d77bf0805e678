//! Evicts the contents of all caches to memory.
use crate::{caches::data_caches, machine::cores};
use std::{
    hint::black_box,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Memory that is read to push everything else out of the caches of all cores.
#[derive(Debug)]
pub struct CacheEviction {
    /// A buffer for each core.
    parts: Vec<Mutex<Vec<u64>>>,
}

impl CacheEviction {
    /// Allocates twice as much memory as all caches hold.
    pub fn new() -> Self {
        let cores = cores();
        let caches = data_caches();
        // Each core reads twice what its own caches and its share of the others hold.
        let bytes: u64 = caches.iter().map(|cache| 2 * cache.each(cores).max(cache.capacity(1) / cores as u64)).sum();
        let words = bytes.max(4 << 20) as usize / 8;
        Self { parts: (0..cores).map(|_| Mutex::new(vec![1; words])).collect() }
    }

    /// Pushes everything else out, on all cores at once.
    pub fn evict(&self) {
        let arrived = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for part in &self.parts {
                let arrived = &arrived;
                // Where the system gives no thread, its core keeps what it has.
                let _ = std::thread::Builder::new().spawn_scoped(scope, move || {
                    // All threads must run at the same time, so that each is on its own core. A busy machine may
                    // prevent that.
                    arrived.fetch_add(1, Ordering::AcqRel);
                    let mut patience = 10_000;
                    while arrived.load(Ordering::Acquire) < self.parts.len() && patience > 0 {
                        patience -= 1;
                        std::hint::spin_loop();
                    }
                    let mut words = part.lock().unwrap_or_else(PoisonError::into_inner);
                    // Writes, so that lines of others are not merely shared.
                    words.iter_mut().step_by(8).for_each(|word| *word = word.wrapping_add(1));
                    black_box(&mut *words);
                });
            }
        });
    }
}

impl Default for CacheEviction {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_is_touched() {
        let eviction = CacheEviction::new();
        eviction.evict();
        let held: usize = eviction.parts.iter().map(|p| p.lock().unwrap().len() * 8).sum();
        let largest = data_caches().last().map_or(0, |c| c.bytes) as usize;
        assert!(held >= 2 * largest, "{held} {largest}");
        assert!(eviction.parts.iter().all(|p| p.lock().unwrap().iter().step_by(8).all(|w| *w == 2)));
    }
}
