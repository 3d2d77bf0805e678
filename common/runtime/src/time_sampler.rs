//! A timer that interrupts a thread, and notes where it is: where its time goes, without privileges or counters of the hardware.
use std::{
    ffi::CStr,
    ptr,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

/// As many samples are kept.
const MOST: usize = 8192;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static PLACES: [AtomicUsize; MOST] = [const { AtomicUsize::new(0) }; MOST];

/// A timer that runs. There is one at a time in a process, whose other threads are not sampled.
pub struct TimeSampler {
    timer: libc::timer_t,
    before: libc::sigaction,
    is_running: bool,
}

impl TimeSampler {
    /// The usual time between samples: a number that no loop is in step with.
    pub const INTERVAL: Duration = Duration::from_nanos(41_017);

    /// Starts to sample this thread, each `interval` of real time below a second; `None` where the system has no such timer.
    pub fn start(interval: Duration) -> Option<Self> {
        COUNT.store(0, Ordering::SeqCst);
        // SAFETY: the structures are live and of the form that the system expects; the handler touches atomics alone.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGPROF, &raw const action, &raw mut before) != 0 {
                return None;
            }
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = libc::SIGPROF;
            event.sigev_notify_thread_id = libc::gettid();
            let mut timer: libc::timer_t = ptr::null_mut();
            if libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) != 0 {
                libc::sigaction(libc::SIGPROF, &raw const before, ptr::null_mut());
                return None;
            }
            let each = libc::timespec { tv_sec: 0, tv_nsec: i64::from(interval.subsec_nanos()) };
            let spec = libc::itimerspec { it_interval: each, it_value: each };
            let mut sampler = Self { timer, before, is_running: true };
            if libc::timer_settime(timer, 0, &raw const spec, ptr::null_mut()) != 0 {
                sampler.stop();
                return None;
            }
            Some(sampler)
        }
    }

    /// How many samples there are.
    pub fn count(&self) -> usize {
        COUNT.load(Ordering::Relaxed)
    }

    /// Ends it; gives the addresses of the instructions that the thread was at.
    pub fn stop(&mut self) -> Vec<usize> {
        if !std::mem::take(&mut self.is_running) {
            return Vec::new();
        }
        // SAFETY: the timer and the action are ours. A signal that is on its way is ignored, then nothing of it is left.
        unsafe {
            libc::timer_delete(self.timer);
            libc::signal(libc::SIGPROF, libc::SIG_IGN);
            libc::sigaction(libc::SIGPROF, &raw const self.before, ptr::null_mut());
        }
        let count = COUNT.load(Ordering::SeqCst).min(MOST);
        PLACES[..count].iter().map(|place| place.load(Ordering::SeqCst)).collect()
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

extern "C" fn note(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system hands a live context of the thread.
    let at = place(unsafe { &*context.cast::<libc::ucontext_t>() });
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    if let Some(place) = PLACES.get(number) {
        place.store(at, Ordering::Relaxed);
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
    use std::time::Instant;

    #[test]
    fn a_loop_is_found() {
        let mut sampler = TimeSampler::start(TimeSampler::INTERVAL).unwrap();
        let mut sum = 1.0f64;
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(50) {
            for i in 0..1000 {
                sum = std::hint::black_box(sum * 1.000_001 + f64::from(i));
            }
        }
        let places = sampler.stop();
        assert!(places.len() > 100, "{}", places.len());
        // Nothing comes after it was stopped.
        assert!(TimeSampler::start(TimeSampler::INTERVAL).unwrap().stop().len() < 10);
    }

    #[test]
    fn exported_functions_have_names() {
        let place = CodePlace::of(libc::getpid as *const () as usize);
        assert!(place.is_some_and(|place| place.symbol.contains("getpid") && place.offset == 0));
        assert_eq!(CodePlace::of(1), None);
    }
}
