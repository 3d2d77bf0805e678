//! Threads that run one job together.
use std::{
    cell::UnsafeCell,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
};

/// How often a waiting thread looks before it sleeps: some tens of microseconds, about the gap between two dispatches.
const SPINS: usize = 4000;
/// Kernels may keep tiles on the stack.
const STACK: usize = 8 << 20;

/// A fixed set of threads. The caller of [`Pool::run`] is one of them.
#[derive(Debug)]
pub(super) struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

/// What all threads do: called with the number of the thread.
type Job = *const (dyn Fn(usize) + Sync);

#[derive(Debug)]
struct Shared {
    /// Counts jobs; a worker that sees it change runs the job.
    epoch: AtomicUsize,
    /// Workers that have not finished the job.
    running: AtomicUsize,
    stop: AtomicBool,
    job: UnsafeCell<Option<Job>>,
    sleepers: Mutex<usize>,
    wake: Condvar,
}

// SAFETY: `job` is written only while no worker runs (`running` is 0) and before `epoch` is raised with release order;
// workers read it only after they saw the new epoch with acquire order.
unsafe impl Sync for Shared {}
// SAFETY: the job pointer is used only during `run`, which keeps its referent alive.
unsafe impl Send for Shared {}

impl Pool {
    /// Starts `threads - 1` workers.
    pub(super) fn new(threads: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            epoch: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            job: UnsafeCell::new(None),
            sleepers: Mutex::new(0),
            wake: Condvar::new(),
        });
        let mut pool = Self { shared, workers: Vec::new() };
        for number in 1..threads {
            let shared = pool.shared.clone();
            let builder = std::thread::Builder::new().name(format!("halyard-{number}")).stack_size(STACK);
            pool.workers.push(builder.spawn(move || shared.work(number))?);
        }
        Ok(pool)
    }

    /// The number of threads, the caller included.
    pub(super) fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Runs a job on all threads and waits for them. The job must not panic.
    pub(super) fn run(&mut self, job: &(dyn Fn(usize) + Sync)) {
        if self.workers.is_empty() {
            return job(0);
        }
        let shared = &*self.shared;
        let job_pointer: *const (dyn Fn(usize) + Sync + '_) = job;
        // SAFETY: only the lifetime changes; the pointer is not used after this function returns. No worker reads the
        // cell now, because the last job was waited for.
        unsafe { *shared.job.get() = Some(std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), Job>(job_pointer)) };
        shared.running.store(self.workers.len(), Ordering::Relaxed);
        shared.epoch.fetch_add(1, Ordering::SeqCst);
        // A worker counts itself as a sleeper under the lock before it looks at the epoch for the last time.
        if *shared.sleepers.lock().unwrap_or_else(|e| e.into_inner()) > 0 {
            shared.wake.notify_all();
        }
        job(0);
        let mut spins = 0;
        while shared.running.load(Ordering::Acquire) > 0 {
            spins += 1;
            if spins < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }
}

impl Shared {
    fn work(&self, number: usize) {
        let mut seen = 0;
        loop {
            seen = self.next_epoch(seen);
            if self.stop.load(Ordering::Acquire) {
                return;
            }
            // SAFETY: the epoch was seen with acquire order, so that the job is written, and `run` waits for us.
            if let Some(job) = unsafe { *self.job.get() } {
                // SAFETY: as above: the referent lives until `run` returns.
                unsafe { (*job)(number) };
            }
            self.running.fetch_sub(1, Ordering::Release);
        }
    }

    fn next_epoch(&self, seen: usize) -> usize {
        for _ in 0..SPINS {
            let epoch = self.epoch.load(Ordering::Acquire);
            if epoch != seen {
                return epoch;
            }
            std::hint::spin_loop();
        }
        let mut sleepers = self.sleepers.lock().unwrap_or_else(|e| e.into_inner());
        *sleepers += 1;
        loop {
            let epoch = self.epoch.load(Ordering::SeqCst);
            if epoch != seen {
                *sleepers -= 1;
                return epoch;
            }
            sleepers = self.wake.wait(sleepers).unwrap_or_else(|e| e.into_inner());
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.epoch.fetch_add(1, Ordering::SeqCst);
        drop(self.shared.sleepers.lock());
        self.shared.wake.notify_all();
        for worker in self.workers.drain(..) {
            // A worker that panicked has said so.
            let _ = worker.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_runs_every_job_once() {
        let mut pool = Pool::new(4).unwrap();
        let counts: Vec<AtomicUsize> = (0..4).map(|_| AtomicUsize::new(0)).collect();
        for round in 1..=300 {
            pool.run(&|t| {
                counts[t].fetch_add(1, Ordering::Relaxed);
            });
            assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == round));
            if round % 100 == 0 {
                // Long enough for the workers to fall asleep.
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    }
}
