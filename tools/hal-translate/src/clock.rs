//! Measures the CPU time of a thread, which does not depend on the load of the machine.
use std::time::Duration;

/// A clock, started when made.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Duration);

impl Clock {
    /// Starts the clock.
    pub fn start() -> Self {
        Self(now())
    }

    /// Returns the CPU time of the thread since then.
    pub fn elapsed(&self) -> Duration {
        now().saturating_sub(self.0)
    }
}

fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a system call that fills in the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
