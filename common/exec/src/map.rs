//! Maps a function over many items in parallel.
use crate::Slots;
use std::{
    num::NonZeroUsize,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Calls `f` with each item and its index, on as many threads as there are slots; the results come in the order of the
/// items, whatever finished first. `jobs` is what `-j` said, see [`Slots::new`]. A panic in `f` is passed on.
pub fn parallel_map<T: Sync, R: Send>(
    jobs: Option<NonZeroUsize>,
    items: &[T],
    f: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    parallel_map_in(&Slots::new(jobs), items, f)
}

/// Maps like [`parallel_map`], with slots that other work shares.
pub fn parallel_map_in<T: Sync, R: Send>(slots: &Slots, items: &[T], f: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let threads = slots.limit().min(items.len());
    if threads <= 1 {
        return items.iter().enumerate().map(|(i, item)| f(i, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(_slot) = slots.acquire_unless(|| next.load(Ordering::SeqCst) >= items.len()) {
            let i = next.fetch_add(1, Ordering::SeqCst);
            let Some(item) = items.get(i) else { return };
            let result = f(i, item);
            *results[i].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    std::thread::scope(|scope| {
        // MLIR and LLVM recurse deeply on large functions; a thread's default of 2 MiB is little for that.
        let thread = || std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work);
        // Where the system gives fewer threads it takes longer.
        if (0..threads).take_while(|_| thread().is_ok()).count() == 0 {
            work();
        }
    });
    let taken = results.into_iter().map(|r| r.into_inner().unwrap_or_else(PoisonError::into_inner));
    taken.map(|r| r.expect("each item was worked on")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn keeps_the_order() {
        let items: Vec<u64> = (0..20).collect();
        for jobs in [1, 2, 7] {
            let doubled = parallel_map(NonZeroUsize::new(jobs), &items, |i, &item| {
                std::thread::sleep(Duration::from_millis(20 - item));
                (i, 2 * item)
            });
            assert_eq!(doubled, (0..20).map(|i| (i as usize, 2 * i)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_to_do() {
        assert!(parallel_map(None, &[] as &[u8], |_, _| ()).is_empty());
    }
}
