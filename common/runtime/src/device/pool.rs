//! A thread pool that runs one job at a time on all threads.
//!
//! A job is open while the caller works at it, and workers that arrive in time take part. The caller closes it when no
//! work is left, and then waits only for workers that are still busy with it. A worker that the system does not
//! schedule, because other programs use the CPU, delays no one.
use std::{
    any::Any,
    cell::UnsafeCell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// The time that a worker polls for the next job before it sleeps: longer than the gap between two dispatches, and
/// about as long as sleeping and waking take.
const SPIN: Duration = Duration::from_micros(100);
/// Polls between two reads of the clock.
const LOOKS: usize = 32;
/// Polls of the caller for the end of the others before it yields the CPU.
const CALLER_LOOKS: usize = 2000;
/// The most threads. Each takes up to four mappings of memory, of which Linux gives a process 65,530.
const MOST: usize = 4096;
/// Kernels may keep tiles on the stack.
const STACK: usize = 8 << 20;

/// A fixed set of threads. The caller of [`Pool::run`] is one of them.
#[derive(Debug)]
pub(super) struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

/// A job: a function that all threads call with their number.
type Job = *const (dyn Fn(usize) + Sync);

#[derive(Debug)]
struct Shared {
    /// The number of the job, whether it takes workers, and how many are at it; see [`State`].
    state: AtomicU64,
    job: UnsafeCell<Option<Job>>,
    stop: AtomicBool,
    /// Workers that sleep or are about to.
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    wake: Condvar,
    /// The panic of a worker, until the caller resumes it.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// The time that workers poll for jobs: zero if threads outnumber CPUs.
    spin: Duration,
    /// The system's numbers of the workers that have begun.
    numbers: Mutex<Vec<i32>>,
}

// SAFETY: `job` is written only by the caller of `run`, while the state is closed and nobody is at the job; workers read it
// after they entered an open state with acquire order, and leave it before the caller goes on.
unsafe impl Sync for Shared {}
// SAFETY: the job pointer is used only during `run`, which keeps its referent alive.
unsafe impl Send for Shared {}

/// Number of the job (32 bits), open (1 bit), workers at it (31 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State(u64);

impl State {
    const OPEN: u64 = 1 << 31;

    fn number(self) -> u32 {
        (self.0 >> 32) as u32
    }
    fn is_open(self) -> bool {
        self.0 & Self::OPEN != 0
    }
    fn active(self) -> u64 {
        self.0 & (Self::OPEN - 1)
    }
    /// Returns the state of the next job: open, without workers.
    fn next(self) -> Self {
        Self(u64::from(self.number().wrapping_add(1)) << 32 | Self::OPEN)
    }
}

impl Pool {
    /// Starts `threads - 1` workers.
    pub(super) fn new(threads: usize) -> std::io::Result<Self> {
        // A thread that cannot map its stack ends the process.
        if threads > MOST {
            return Err(std::io::Error::other(format!("at most {MOST} are supported")));
        }
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared {
            state: AtomicU64::new(0),
            job: UnsafeCell::new(None),
            stop: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            lock: Mutex::new(()),
            wake: Condvar::new(),
            panic: Mutex::default(),
            spin: if threads > cpus { Duration::ZERO } else { SPIN },
            numbers: Mutex::default(),
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

    /// The system's numbers of the workers, in no order.
    pub(super) fn workers(&self) -> Vec<i32> {
        loop {
            let numbers = self.shared.numbers.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if numbers.len() == self.workers.len() {
                return numbers;
            }
            // One has only just been started.
            std::thread::yield_now();
        }
    }

    /// Runs a job on the caller, as thread 0, and on all threads that are free. When the caller's run of the job ends,
    /// all of its work must be done or taken by some thread: threads that have not begun will not begin any more. A
    /// panic of the job on any thread is resumed here when no thread works at the job any more.
    pub(super) fn run(&mut self, job: &(dyn Fn(usize) + Sync)) {
        if self.workers.is_empty() {
            return job(0);
        }
        let shared = &*self.shared;
        let job_pointer: *const (dyn Fn(usize) + Sync + '_) = job;
        // SAFETY: only the lifetime changes; the pointer is not used after this function returns. No worker reads the
        // cell now: the last job is closed and was waited for.
        unsafe {
            *shared.job.get() = Some(std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), Job>(job_pointer))
        };
        let next = State(shared.state.load(Ordering::Relaxed)).next();
        shared.state.store(next.0, Ordering::SeqCst);
        // A worker counts itself as a sleeper before it looks at the state for the last time.
        if shared.sleepers.load(Ordering::SeqCst) > 0 {
            drop(shared.lock.lock().unwrap_or_else(PoisonError::into_inner));
            shared.wake.notify_all();
        }
        let here = catch_unwind(AssertUnwindSafe(|| job(0)));
        shared.close();
        let panic = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = here.err().or(panic) {
            resume_unwind(panic);
        }
    }
}

impl Shared {
    /// Closes the job, and waits for threads that are still working at it.
    fn close(&self) {
        let mut state = State(self.state.fetch_and(!State::OPEN, Ordering::AcqRel));
        let mut looks = 0;
        while state.active() > 0 {
            looks += 1;
            if looks < CALLER_LOOKS && !self.spin.is_zero() {
                std::hint::spin_loop()
            } else {
                std::thread::yield_now()
            }
            state = State(self.state.load(Ordering::Acquire));
        }
    }

    fn work(&self, number: usize) {
        // SAFETY: takes nothing.
        let own = unsafe { libc::gettid() };
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).push(own);
        let mut done = 0;
        while let Some(found) = self.enter(done) {
            done = found;
            // SAFETY: the state was entered with acquire order, so that the job is written, and `run` waits for us.
            if let Some(job) = unsafe { *self.job.get() } {
                // SAFETY: as above: the referent lives until `run` returns.
                let ran = catch_unwind(AssertUnwindSafe(|| unsafe { (*job)(number) }));
                if let Err(panic) = ran {
                    self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
                }
            }
            self.state.fetch_sub(1, Ordering::Release);
        }
    }

    /// Waits for a job other than `done` and takes part in it; gives its number. `None` when the pool ends.
    fn enter(&self, done: u32) -> Option<u32> {
        let mut since = None;
        loop {
            for _ in 0..LOOKS {
                let state = State(self.state.load(Ordering::Acquire));
                if self.stop.load(Ordering::Relaxed) {
                    return None;
                }
                if state.is_open() && state.number() != done {
                    let entered =
                        self.state.compare_exchange_weak(state.0, state.0 + 1, Ordering::AcqRel, Ordering::Relaxed);
                    if entered.is_ok() {
                        return Some(state.number());
                    }
                }
                std::hint::spin_loop();
            }
            if self.spin.is_zero() || since.get_or_insert_with(Instant::now).elapsed() > self.spin {
                self.sleep(done);
                since = None;
            }
        }
    }

    fn sleep(&self, done: u32) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        loop {
            let state = State(self.state.load(Ordering::SeqCst));
            if self.stop.load(Ordering::SeqCst) || (state.is_open() && state.number() != done) {
                break;
            }
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        drop(self.shared.lock.lock());
        self.shared.wake.notify_all();
        for worker in self.workers.drain(..) {
            // A worker that panicked has said so.
            let _ = worker.join();
        }
    }
}

#[cfg(test)]
mod tests;
