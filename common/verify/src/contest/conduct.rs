//! What kernels must leave alone in the process that runs them: its threads, children, priority and cores, and how the CPU rounds.
use halyard_peaks::cores;

/// The process before a contestant came.
pub(super) struct Conduct {
    threads: usize,
    modes: u32,
    priority: i32,
    cores: usize,
}

impl Conduct {
    pub(super) fn observe() -> Self {
        Self { threads: threads(), modes: float_modes(), priority: priority(), cores: cores() }
    }

    /// What a contestant did that kernels must not do, before any thread of ours was started.
    pub(super) fn broken(&self) -> Option<(&'static str, String)> {
        let more = threads().saturating_sub(self.threads);
        if more > 0 {
            let what =
                if more == 1 { "a thread that outlives".to_owned() } else { format!("{more} threads that outlive") };
            return Some(("starts-threads", format!("it starts {what} the call")));
        }
        if has_children() {
            return Some(("starts-processes", "it starts a process of its own".to_owned()));
        }
        if priority() != self.priority || cores() != self.cores {
            let why = "it changes the priority of the process, or the cores that it may use";
            return Some(("changes-priority", why.to_owned()));
        }
        self.broken_modes()
    }

    /// Whether a contestant changed how the CPU rounds.
    pub(super) fn broken_modes(&self) -> Option<(&'static str, String)> {
        (float_modes() != self.modes).then(|| {
            let why = "it changes how the CPU rounds, or treats denormal numbers, and does not restore it";
            ("changes-rounding", why.to_owned())
        })
    }
}

/// Whether this process has children.
fn has_children() -> bool {
    // SAFETY: a system call that writes nothing.
    unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) >= 0 }
}

fn priority() -> i32 {
    // SAFETY: a system call on numbers.
    unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) }
}

/// The threads of this process; 1 where the system does not say.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}

/// The control bits of the floating-point unit: rounding, denormals, traps; not the flags of what happened.
#[cfg(target_arch = "x86_64")]
fn float_modes() -> u32 {
    let mut word = 0u32;
    // SAFETY: stores the register into a live number.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack)) };
    word & !0x3f
}

#[cfg(target_arch = "aarch64")]
fn float_modes() -> u32 {
    let word: u64;
    // SAFETY: reads a register.
    unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack)) };
    word as u32
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn float_modes() -> u32 {
    0
}
