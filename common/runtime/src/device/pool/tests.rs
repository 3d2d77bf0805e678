use super::*;

/// Each of `pieces` is taken by one thread, all are done when `run` returns, whatever threads took part.
#[test]
fn every_piece_is_done_once() {
    // More threads than CPUs, too: those do not spin.
    for threads in [1, 2, 4, 33] {
        let mut pool = Pool::new(threads).unwrap();
        for round in 0..300 {
            let (next, pieces) = (AtomicUsize::new(0), 1 + round % 7);
            let done: Vec<AtomicUsize> = (0..pieces).map(|_| AtomicUsize::new(0)).collect();
            pool.run(&|thread| {
                assert!(thread < threads);
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(piece) = done.get(i) else { return };
                    // Long enough for others to come.
                    (0..20 * (i % 3)).for_each(|_| std::hint::spin_loop());
                    piece.fetch_add(1, Ordering::Relaxed);
                }
            });
            assert!(done.iter().all(|d| d.load(Ordering::Relaxed) == 1), "{threads} threads, {pieces} pieces");
            if round % 100 == 99 {
                // Long enough for the workers to fall asleep.
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Workers do take part: a job that only ends when a second thread came.
#[test]
fn workers_come() {
    let mut pool = Pool::new(3).unwrap();
    for pause in [0, 5] {
        std::thread::sleep(Duration::from_millis(pause));
        let came = AtomicUsize::new(0);
        pool.run(&|_| {
            came.fetch_add(1, Ordering::Relaxed);
            while came.load(Ordering::Relaxed) < 2 {
                std::thread::yield_now();
            }
        });
        assert!(came.load(Ordering::Relaxed) >= 2);
    }
}

/// A job that panics, on the caller's thread or another one, ends the call with that panic; the pool works on.
#[test]
fn a_panic_comes_to_the_caller_when_nobody_is_at_the_job() {
    let mut pool = Pool::new(3).unwrap();
    for of_caller in [true, false] {
        let (came, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            pool.run(&|thread| {
                came.fetch_add(1, Ordering::SeqCst);
                while came.load(Ordering::SeqCst) < 2 {
                    std::thread::yield_now();
                }
                std::thread::sleep(Duration::from_millis(2));
                left.fetch_add(1, Ordering::SeqCst);
                if (thread == 0) == of_caller {
                    resume_unwind(Box::new("as expected"));
                }
            });
        }));
        assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"as expected"));
        assert_eq!(left.load(Ordering::SeqCst), came.load(Ordering::SeqCst));
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        pool.run(&|_| {
            while next.fetch_add(1, Ordering::Relaxed) < 100 {
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
        assert_eq!(done.load(Ordering::Relaxed), 100);
    }
}

#[test]
fn a_pool_that_never_ran_ends() {
    drop(Pool::new(5).unwrap());
}

/// Each worker is a thread of this process, and another one than the caller.
#[test]
fn workers_have_numbers() {
    let pool = Pool::new(4).unwrap();
    let mut numbers = pool.workers();
    numbers.sort_unstable();
    numbers.dedup();
    // SAFETY: takes nothing.
    let own = unsafe { libc::gettid() };
    assert!(numbers.len() == 3 && !numbers.contains(&own));
    assert!(numbers.iter().all(|n| std::path::Path::new(&format!("/proc/self/task/{n}")).exists()));
    assert!(Pool::new(1).unwrap().workers().is_empty());
}
