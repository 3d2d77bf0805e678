//! Reads the machine state that a signal handler gets, one architecture after the other.
use super::report::Touch;

/// The machine state in a signal's context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    pub(super) instruction: u64,
    pub(super) stack: u64,
    pub(super) touch: Touch,
    /// The processor does not tell the address.
    pub(super) no_address: bool,
}

impl Machine {
    const UNKNOWN: Self = Self { instruction: 0, stack: 0, touch: Touch::Unknown, no_address: false };

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    pub(super) fn of(context: *const libc::c_void) -> Self {
        // SAFETY: with `SA_SIGINFO` it is this structure.
        let Some(context) = (unsafe { context.cast::<libc::ucontext_t>().as_ref() }) else { return Self::UNKNOWN };
        let registers = &context.uc_mcontext.gregs;
        let (trap, error) = (registers[libc::REG_TRAPNO as usize], registers[libc::REG_ERR as usize]);
        // 14 is a page fault; a pointer that no pointer can be is a general protection fault, 13, which tells no address.
        let touch = match (trap, error & 2) {
            (14, 0) => Touch::Read,
            (14, _) => Touch::Write,
            _ => Touch::Unknown,
        };
        Self {
            instruction: registers[libc::REG_RIP as usize] as u64,
            stack: registers[libc::REG_RSP as usize] as u64,
            touch,
            no_address: trap == 13,
        }
    }

    #[cfg(all(target_os = "linux", target_arch = "aarch64"))]
    pub(super) fn of(context: *const libc::c_void) -> Self {
        // SAFETY: with `SA_SIGINFO` it is this structure.
        let Some(context) = (unsafe { context.cast::<libc::ucontext_t>().as_ref() }) else { return Self::UNKNOWN };
        let machine = &context.uc_mcontext;
        Self { instruction: machine.pc, stack: machine.sp, ..Self::UNKNOWN }
    }

    #[cfg(all(target_os = "linux", target_arch = "riscv64"))]
    pub(super) fn of(context: *const libc::c_void) -> Self {
        // SAFETY: with `SA_SIGINFO` it is this structure.
        let Some(context) = (unsafe { context.cast::<libc::ucontext_t>().as_ref() }) else { return Self::UNKNOWN };
        let registers = &context.uc_mcontext.__gregs;
        Self { instruction: registers[libc::REG_PC as usize], stack: registers[libc::REG_SP as usize], ..Self::UNKNOWN }
    }

    #[cfg(not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
    )))]
    pub(super) fn of(_context: *const libc::c_void) -> Self {
        Self::UNKNOWN
    }
}
