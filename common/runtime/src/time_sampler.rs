//! Timers that interrupt threads, and note where they are: where their time goes, without privileges or counters of the hardware.
use std::{
    ffi::CStr,
    ptr,
    sync::atomic::{AtomicI64, AtomicU16, AtomicUsize, Ordering},
    time::Duration,
};

/// As many samples are kept.
const MOST: usize = 1 << 16;
/// For more threads than these, samples are rarer.
const MANY: u32 = 8;
/// So many threads are sampled, the first ones.
const MOST_THREADS: usize = 1024;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static PLACES: [AtomicUsize; MOST] = [const { AtomicUsize::new(0) }; MOST];
static THREADS: [AtomicU16; MOST] = [const { AtomicU16::new(0) }; MOST];
/// The timer of each thread, and the time from a sample to the next in nanoseconds, for the handler.
static TIMERS: [AtomicUsize; MOST_THREADS] = [const { AtomicUsize::new(0) }; MOST_THREADS];
static NANOS: AtomicI64 = AtomicI64::new(0);

/// Timers that run. Only one sampler runs at a time in a process.
pub struct TimeSampler {
    timers: Vec<libc::timer_t>,
    before: libc::sigaction,
    is_running: bool,
}

/// Where a thread was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSample {
    /// The address of the instruction.
    pub address: usize,
    /// Which of the sampled threads; 0 is the one that started the sampler.
    pub thread: u16,
}

impl TimeSampler {
    /// The usual time between samples: a number that no loop is in step with.
    pub const INTERVAL: Duration = Duration::from_nanos(41_017);

    /// Starts to sample this thread, each `interval` of real time below a second; `None` where the system has no such timer.
    pub fn start(interval: Duration) -> Option<Self> {
        Self::start_with(interval, &[])
    }

    /// Starts to sample this thread and others of the process, by the system's numbers. A thread that has ended is not sampled.
    pub fn start_with(interval: Duration, others: &[i32]) -> Option<Self> {
        COUNT.store(0, Ordering::SeqCst);
        let interval = interval * (others.len() as u32 + 1).div_ceil(MANY);
        NANOS.store(i64::from(interval.min(Duration::from_millis(999)).subsec_nanos()), Ordering::SeqCst);
        // SAFETY: the structures are live and of the form that the system expects; the handler touches atomics alone.
        let mut sampler = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGPROF, &raw const action, &raw mut before) != 0 {
                return None;
            }
            Self { timers: Vec::new(), before, is_running: true }
        };
        // SAFETY: takes nothing.
        let own = unsafe { libc::gettid() };
        for (number, thread) in std::iter::once(own).chain(others.iter().copied()).enumerate().take(MOST_THREADS) {
            match timer(thread, number) {
                Some(timer) => sampler.timers.push(timer),
                None if number == 0 => return None,
                None => {}
            }
        }
        Some(sampler)
    }

    /// How many samples there are.
    pub fn count(&self) -> usize {
        COUNT.load(Ordering::Relaxed)
    }

    /// Ends it; gives the instructions that the threads were at.
    pub fn stop(&mut self) -> Vec<TimeSample> {
        if !std::mem::take(&mut self.is_running) {
            return Vec::new();
        }
        // SAFETY: the timers and the action are ours. A signal that is on its way is ignored, then nothing of it is left.
        unsafe {
            self.timers.drain(..).for_each(|timer| _ = libc::timer_delete(timer));
            libc::signal(libc::SIGPROF, libc::SIG_IGN);
            libc::sigaction(libc::SIGPROF, &raw const self.before, ptr::null_mut());
        }
        let count = COUNT.load(Ordering::SeqCst).min(MOST);
        let kept = PLACES[..count].iter().zip(&THREADS);
        kept.map(|(place, thread)| TimeSample {
            address: place.load(Ordering::SeqCst),
            thread: thread.load(Ordering::SeqCst),
        })
        .collect()
    }
}

/// A timer that interrupts a thread, with a number for the handler.
fn timer(thread: i32, number: usize) -> Option<libc::timer_t> {
    // SAFETY: the structures are live and of the form that the system expects.
    unsafe {
        let mut event: libc::sigevent = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = libc::SIGPROF;
        event.sigev_value = libc::sigval { sival_ptr: number as *mut libc::c_void };
        event.sigev_notify_thread_id = thread;
        let mut timer: libc::timer_t = ptr::null_mut();
        if libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) != 0 {
            return None;
        }
        TIMERS[number].store(timer as usize, Ordering::SeqCst);
        if !wind(timer) {
            libc::timer_delete(timer);
            return None;
        }
        Some(timer)
    }
}

/// Lets a timer interrupt once. Timers do not repeat by themselves: where an interrupt takes longer than the time between
/// two, as in emulators, the thread would do nothing else.
fn wind(timer: libc::timer_t) -> bool {
    let never = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let next = libc::timespec { tv_sec: 0, tv_nsec: NANOS.load(Ordering::Relaxed) };
    let spec = libc::itimerspec { it_interval: never, it_value: next };
    // SAFETY: the structure is live; the system refuses a timer that was deleted, and what was interrupted keeps its `errno`.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let is_wound = libc::timer_settime(timer, 0, &raw const spec, ptr::null_mut()) == 0;
        *errno = before;
        is_wound
    }
}

/// Where an address of code is, as the dynamic linker knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePlace {
    /// The exported function that holds it.
    pub symbol: String,
    /// Its place in the function, in bytes.
    pub offset: u64,
}

impl CodePlace {
    /// The place of an address in this process; `None` if no exported function holds it.
    pub fn of(address: usize) -> Option<Self> {
        // SAFETY: the structure is live; names live as long as their library, and are copied at once.
        unsafe {
            let mut found: libc::Dl_info = std::mem::zeroed();
            if libc::dladdr(address as *const libc::c_void, &raw mut found) == 0 || found.dli_sname.is_null() {
                return None;
            }
            let symbol = CStr::from_ptr(found.dli_sname).to_string_lossy().into_owned();
            Some(Self { symbol, offset: (address - found.dli_saddr as usize) as u64 })
        }
    }
}

impl Drop for TimeSampler {
    fn drop(&mut self) {
        self.stop();
    }
}

extern "C" fn note(_: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system hands a live context of the thread, and the number that the timer was made with.
    let (at, thread) = unsafe { (place(&*context.cast::<libc::ucontext_t>()), (*info).si_value().sival_ptr as usize) };
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    if let Some(place) = PLACES.get(number) {
        place.store(at, Ordering::Relaxed);
        THREADS[number].store(thread as u16, Ordering::Relaxed);
    }
    if let Some(timer) = TIMERS.get(thread) {
        wind(timer.load(Ordering::Relaxed) as libc::timer_t);
    }
}

#[cfg(target_arch = "x86_64")]
fn place(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.gregs[libc::REG_RIP as usize] as usize
}

#[cfg(target_arch = "aarch64")]
fn place(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.pc as usize
}

#[cfg(target_arch = "riscv64")]
fn place(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.__gregs[libc::REG_PC as usize] as usize
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
fn place(_: &libc::ucontext_t) -> usize {
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicI32},
        time::Instant,
    };

    /// Tests may share a process, which has one sampler.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what waits for it, even if the test fails first.
    struct Stop<'a>(&'a AtomicUsize);

    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(1, Ordering::SeqCst);
        }
    }

    /// Works, for half a minute at most: other programs may have the CPU for longer than a sampler is quick.
    fn work_until(is_enough: impl Fn() -> bool) {
        let (mut sum, start) = (1.0f64, Instant::now());
        while !is_enough() && start.elapsed() < Duration::from_secs(30) {
            for i in 0..1000 {
                sum = std::hint::black_box(sum * 1.000_001 + f64::from(i));
            }
        }
    }

    #[test]
    fn a_loop_is_found() {
        let _alone = alone();
        let mut sampler = TimeSampler::start(TimeSampler::INTERVAL).unwrap();
        work_until(|| sampler.count() > 100);
        let samples = sampler.stop();
        assert!(samples.len() > 100, "{}", samples.len());
        assert!(samples.iter().all(|sample| sample.thread == 0));
        // Nothing comes after it was stopped.
        assert!(TimeSampler::start(TimeSampler::INTERVAL).unwrap().stop().len() < 10);
    }

    #[test]
    fn other_threads_are_sampled() {
        let _alone = alone();
        let (number, stop) = (AtomicI32::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                // SAFETY: takes nothing.
                number.store(unsafe { libc::gettid() }, Ordering::SeqCst);
                work_until(|| stop.load(Ordering::SeqCst) != 0);
            });
            let end = Stop(&stop);
            while number.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            // The second one is no thread of this process.
            let others = [number.load(Ordering::SeqCst), 1];
            let mut sampler = TimeSampler::start_with(TimeSampler::INTERVAL, &others).unwrap();
            // This thread sleeps meanwhile, but for its own samples.
            let start = Instant::now();
            while sampler.count() < 1000 && start.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(10));
            }
            let samples = sampler.stop();
            drop(end);
            assert!(samples.iter().filter(|sample| sample.thread == 1).count() > 100, "{}", samples.len());
            assert!(samples.iter().all(|sample| sample.thread < 2 && sample.address != 0));
            // ThreadSanitizer sees threads that are joined, not how a scope waits for them.
            worker.join().unwrap();
        });
    }

    #[test]
    fn exported_functions_have_names() {
        let place = CodePlace::of(libc::getpid as *const () as usize);
        assert!(place.is_some_and(|place| place.symbol.contains("getpid") && place.offset == 0));
        assert_eq!(CodePlace::of(1), None);
    }
}
