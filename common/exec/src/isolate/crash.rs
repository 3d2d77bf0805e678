//! What a worker says when it crashes: which kind of crash, and where.
use std::sync::atomic::{AtomicUsize, Ordering};

/// Frames of a backtrace.
const FRAMES: usize = 48;
/// The stack of the handler: the other one may be used up.
const HANDLER_STACK: usize = 256 << 10;

/// Where the stack of the work lies.
static LOW: AtomicUsize = AtomicUsize::new(0);
static HIGH: AtomicUsize = AtomicUsize::new(0);

/// Tells an overflow of this stack from other bad addresses.
pub(super) fn set_stack(size: usize) {
    let here = 0u8;
    let high = (&raw const here).addr();
    HIGH.store(high, Ordering::Relaxed);
    LOW.store(high.saturating_sub(size), Ordering::Relaxed);
}

/// Installs the handlers, in a worker.
pub(super) fn install() {
    // SAFETY: the structures are plain numbers; the handler's stack is never given back, so it outlives its use.
    unsafe {
        let stack: &'static mut [u8] = Box::leak(vec![0u8; HANDLER_STACK].into_boxed_slice());
        let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: HANDLER_STACK };
        libc::sigaltstack(&raw const stack, std::ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGTRAP] {
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Writes a backtrace and ends the process: by the same signal, or with the exit code for an overflow of the stack.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel passes a live structure; what follows uses the stack of the handler and system calls. Symbols
    // are looked up with locks that the crashed code may hold: the alarm ends that.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(5);
        let mut frames = [std::ptr::null_mut(); FRAMES];
        let count = libc::backtrace(frames.as_mut_ptr(), FRAMES as i32);
        // The first two are this function and the kernel's.
        let skip = 2.min(count);
        libc::backtrace_symbols_fd(frames.as_ptr().add(skip as usize), count - skip, 2);
        let address = (*info).si_addr().addr();
        let (low, high) = (LOW.load(Ordering::Relaxed), HIGH.load(Ordering::Relaxed));
        let near = (low.saturating_sub(1 << 20)..low + (64 << 10)).contains(&address);
        if matches!(signal, libc::SIGSEGV | libc::SIGBUS) && high > 0 && near {
            libc::_exit(super::child::EXIT_STACK);
        }
        libc::raise(signal);
    }
}
