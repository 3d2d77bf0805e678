//! Reports a crash: a worker prints where, the tool itself prints what it was doing.
use std::{
    ffi::{CStr, CString},
    ptr,
    sync::{
        Once,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering},
    },
};

/// The most frames of a backtrace.
const FRAMES: usize = 48;
/// Addresses below this are those of null pointers with an offset.
const NEAR_NULL: usize = 64 << 10;
/// A process that the system refuses so many bytes is out of memory: allocators ask for no more at a time for small objects.
const LITTLE: usize = 4 << 20;
/// The stack of the handler: the other one may be used up.
const HANDLER_STACK: usize = 256 << 10;

/// The lowest address of the stack that the work runs on.
static LOW: AtomicUsize = AtomicUsize::new(0);
static HIGH: AtomicUsize = AtomicUsize::new(0);

/// A description of what the tool is doing, for its crash message; null if there is none.
static DOING: AtomicPtr<CString> = AtomicPtr::new(ptr::null_mut());
/// Whether the crash message has a backtrace.
static BACKTRACE: AtomicBool = AtomicBool::new(true);

/// Runs code that may crash the process. The crash is reported as ``error: `what` crashed with SIGSEGV (11)``, and the
/// signal still ends the process.
pub fn naming_crashes<T>(what: &str, run: impl FnOnce() -> T) -> T {
    // The parent of a worker tells of its crashes.
    if HIGH.load(Ordering::Relaxed) > 0 {
        return run();
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        BACKTRACE.store(std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0"), Ordering::Relaxed);
        install();
    });
    let mut text = CString::new(what.replace('\0', "")).unwrap_or_default();
    let before = DOING.swap(&raw mut text, Ordering::SeqCst);
    let _restored = Restore(before);
    run()
}

/// Restores the previous description, also when a panic unwinds: the text is dropped with its frame.
struct Restore(*mut CString);

impl Drop for Restore {
    fn drop(&mut self) {
        DOING.store(self.0, Ordering::SeqCst);
    }
}

/// Records the stack, so that its overflow can be told from other bad addresses.
pub(super) fn set_stack(size: usize) {
    let here = 0u8;
    let high = (&raw const here).addr();
    HIGH.store(high, Ordering::Relaxed);
    LOW.store(high.saturating_sub(size), Ordering::Relaxed);
}

/// Installs the handlers of a worker, whose parent knows what it was doing.
pub(super) fn install_in_worker() {
    DOING.store(ptr::null_mut(), Ordering::SeqCst);
    BACKTRACE.store(true, Ordering::Relaxed);
    install();
}

fn install() {
    // SAFETY: the structures are plain numbers; the handler's stack is never given back, so it outlives its use.
    unsafe {
        let stack: &'static mut [u8] = Box::leak(vec![0u8; HANDLER_STACK].into_boxed_slice());
        let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: HANDLER_STACK };
        libc::sigaltstack(&raw const stack, ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGTRAP] {
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

/// Writes a backtrace and ends the process: by the same signal, or with the exit code for an overflow of the stack or the end of
/// the memory.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel passes a live structure; what follows uses the stack of the handler and system calls. Symbols
    // are looked up with locks that the crashed code may hold: the alarm ends that.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(5);
        let address = (*info).si_addr().addr();
        let is_access = matches!(signal, libc::SIGSEGV | libc::SIGBUS);
        // MLIR does not look at what `malloc` returns for an operation.
        let starved = is_access && address < NEAR_NULL && !super::child::has_room(LITTLE);
        if let Some(doing) = DOING.load(Ordering::SeqCst).as_ref() {
            last_words(doing, if starved { None } else { Some(signal) });
        }
        if starved && HIGH.load(Ordering::Relaxed) > 0 {
            libc::_exit(super::child::EXIT_MEMORY);
        }
        // A backtrace needs memory.
        if BACKTRACE.load(Ordering::Relaxed) && !starved {
            let mut frames = [ptr::null_mut(); FRAMES];
            let count = libc::backtrace(frames.as_mut_ptr(), FRAMES as i32);
            // The first two are this function and the kernel's.
            let skip = 2.min(count);
            libc::backtrace_symbols_fd(frames.as_ptr().add(skip as usize), count - skip, 2);
        }
        let (low, high) = (LOW.load(Ordering::Relaxed), HIGH.load(Ordering::Relaxed));
        let near = (low.saturating_sub(1 << 20)..low + (64 << 10)).contains(&address);
        if is_access && high > 0 && near {
            libc::_exit(super::child::EXIT_STACK);
        }
        libc::raise(signal);
    }
}

/// Prints what crashed, or ran out of memory where there is no signal, without allocating: the heap may be corrupt.
fn last_words(doing: &CStr, signal: Option<i32>) {
    let say = |text: &[u8]| {
        // SAFETY: a system call with a live text and its length.
        unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
    };
    say(b"error: ");
    say(doing.to_bytes());
    let Some(signal) = signal else {
        say(b" ran out of memory\n");
        return;
    };
    say(b" crashed with ");
    say(crate::signal_name(signal).unwrap_or("a signal").as_bytes());
    say(b"\n  = note: this is a bug in the libraries that it uses; RUST_BACKTRACE=1 shows where\n");
}
