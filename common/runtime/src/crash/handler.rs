//! The crash handler. It allocates nothing, takes no lock, and writes its findings to the board.
use super::{
    board::{Access, board, slot_here},
    machine::Machine,
    report::{Crash, Place},
};
use std::{
    cell::UnsafeCell,
    fmt::{self, Write as _},
    ptr,
    sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering::*},
};

const SIGNALS: [i32; 6] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT, libc::SIGTRAP];

/// The record of a crash, which the signal handler of the thread writes.
#[repr(C)]
pub(super) struct Left {
    /// The state: 0 empty, 1 being written, 2 complete.
    state: AtomicU32,
    /// The thread that writes the report.
    by: AtomicI32,
    crash: UnsafeCell<Crash>,
}

impl Left {
    #[allow(clippy::declare_interior_mutable_const, reason = "an initialiser of statics only")]
    pub(super) const NONE: Self =
        Self { state: AtomicU32::new(0), by: AtomicI32::new(0), crash: UnsafeCell::new(Crash::NONE) };
}

/// The crash that this process, or one that shares its board, came to.
pub fn crash() -> Option<Crash> {
    let left = &board().crash;
    // SAFETY: in this state no thread writes it.
    (left.state.load(Acquire) == 2).then(|| unsafe { left.crash.get().read() })
}

/// The signal handlers that were installed before.
struct Before(UnsafeCell<[Option<libc::sigaction>; SIGNALS.len()]>);
// SAFETY: written once, before the handler is there.
unsafe impl Sync for Before {}
static BEFORE: Before = Before(UnsafeCell::new([const { None }; SIGNALS.len()]));
static INSTALLED: AtomicBool = AtomicBool::new(false);
/// The descriptor for a line about the crash.
static REPORT_TO: AtomicI32 = AtomicI32::new(-1);

/// Handles crashes from now on, in threads that have run no kernel yet: what the thread did is left on the board, and
/// written to a file descriptor if there is one. Then comes whoever handled the signal before, or the process ends by it.
pub fn install(report_to: Option<i32>) {
    REPORT_TO.store(report_to.unwrap_or(-1), Relaxed);
    if INSTALLED.swap(true, AcqRel) {
        return;
    }
    for (i, signal) in SIGNALS.into_iter().enumerate() {
        // SAFETY: plain structures; the cell is written before the handler can read it.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, ptr::null(), &raw mut before) != 0 {
                continue;
            }
            (*BEFORE.0.get())[i] = Some(before);
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            // A crash in this code is passed on to the previous handler, too.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the place of this thread's number.
    let errno = unsafe { *libc::__errno_location() };
    // SAFETY: the kernel passes live structures.
    unsafe {
        note(signal, &*info, context);
        *libc::__errno_location() = errno;
        pass_on(signal, info, context);
    }
}

/// Leaves what this thread does, if it does something.
unsafe fn note(signal: i32, info: &libc::siginfo_t, context: *const libc::c_void) {
    let Some(slot) = slot_here() else { return };
    let Some((label, kernel)) = slot.read() else { return };
    let left = &board().crash;
    // SAFETY: a system call without arguments.
    let here = unsafe { libc::syscall(libc::SYS_gettid) as i32 };
    if left.state.compare_exchange(0, 1, AcqRel, Acquire).is_err() {
        if left.by.load(Relaxed) != here {
            // Another thread crashed first, and its crash is reported. It must not take long.
            for _ in 0..1000 {
                if left.state.load(Acquire) != 1 {
                    break;
                }
                let pause = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
                // SAFETY: a live structure.
                unsafe { libc::nanosleep(&raw const pause, ptr::null_mut()) };
            }
        }
        return;
    }
    left.by.store(here, Relaxed);
    let machine = Machine::of(context);
    // SAFETY: the kernel fills it in for these signals.
    let address = unsafe { info.si_addr() } as u64;
    let by_address = matches!(signal, libc::SIGSEGV | libc::SIGBUS) && info.si_code > 0;
    let mut crash = Crash { signal, label: label.0, ..Crash::NONE };
    if let Some(kernel) = &kernel {
        crash.workgroup = 1;
        (crash.id, crash.count) = (kernel.group.id, kernel.group.count);
        let into = machine.instruction.wrapping_sub(kernel.function as u64);
        crash.instruction = if machine.instruction != 0 && into < 1 << 20 { into + 1 } else { 0 };
        if by_address {
            // SAFETY: this thread runs it.
            (crash.place, crash.binding) = place(address, machine, unsafe { kernel.accesses() });
            crash.touch = machine.touch;
        }
    }
    // SAFETY: the state says that only this thread writes.
    unsafe { left.crash.get().write(crash) };
    left.state.store(2, Release);
    let to = REPORT_TO.load(Relaxed);
    if to >= 0 {
        let mut line = Line::default();
        let _ = writeln!(line, "libhalyard: {crash}");
        // SAFETY: a live text and its length.
        unsafe { libc::write(to, line.text.as_ptr().cast(), line.length) };
        // Should the process survive this one.
        left.state.store(0, Release);
    }
}

/// Returns where an address lies, and the binding that contains it or is nearest.
fn place(address: u64, machine: Machine, accesses: &[Access]) -> (Place, (u32, u32, u64)) {
    /// Accesses farther away than this have another cause.
    const NEAR: u64 = 64 << 20;
    if machine.no_address {
        return (Place::Nowhere, (0, 0, 0));
    }
    if address < 1 << 16 {
        return (Place::Null, (0, 0, 0));
    }
    // A frame may be larger than the remaining stack, and may be written from its lower end.
    if machine.stack != 0 && (machine.stack.saturating_sub(1 << 20)..machine.stack + (1 << 16)).contains(&address) {
        return (Place::Stack, (0, 0, 0));
    }
    let away = |a: &Access| if address < a.start { a.start - address } else { (address + 1).saturating_sub(a.end) };
    let nearest = accesses.iter().enumerate().min_by_key(|(_, a)| away(a)).filter(|(_, a)| away(a) <= NEAR);
    let Some((i, a)) = nearest else { return (Place::Elsewhere(address), (0, 0, 0)) };
    let binding = (i as u32, u32::from(a.written), a.end - a.start);
    let place = if address < a.start {
        Place::Before(a.start - address)
    } else if address >= a.end {
        Place::After(address - a.end)
    } else {
        Place::Inside(address - a.start)
    };
    (place, binding)
}

/// Calls the previous handler of the signal.
unsafe fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let at = SIGNALS.iter().position(|&s| s == signal);
    // SAFETY: no longer written.
    let before = at.and_then(|i| unsafe { (*BEFORE.0.get())[i] });
    let handler = before.map_or(libc::SIG_DFL, |b| b.sa_sigaction);
    // SAFETY: what the process installed for this signal is called as it asked for; else the signal takes its default
    // course: the instruction is executed again, or the signal is sent again if it was sent.
    unsafe {
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            libc::signal(signal, libc::SIG_DFL);
            if (*info).si_code <= 0 {
                libc::raise(signal);
            }
        } else if before.is_some_and(|b| b.sa_flags & libc::SA_SIGINFO != 0) {
            let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = std::mem::transmute(handler);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(i32) = std::mem::transmute(handler);
            handler(signal);
        }
    }
}

/// A text of limited length.
struct Line {
    text: [u8; 1024],
    length: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self { text: [0; 1024], length: 0 }
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let length = text.len().min(self.text.len() - self.length);
        self.text[self.length..][..length].copy_from_slice(&text.as_bytes()[..length]);
        self.length += length;
        Ok(())
    }
}

/// The stack on which the handler runs: the thread's own may be full.
pub(super) struct Stack(*mut libc::c_void);

impl Stack {
    const BYTES: usize = 128 << 10;

    /// Allocates one for this thread, if the handler is installed.
    pub(super) fn new() -> Option<Self> {
        if !INSTALLED.load(Acquire) {
            return None;
        }
        // SAFETY: new memory, which the thread has until this is dropped.
        unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let memory = libc::mmap(ptr::null_mut(), Self::BYTES, access, flags, -1, 0);
            if memory == libc::MAP_FAILED {
                return None;
            }
            let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: Self::BYTES };
            libc::sigaltstack(&raw const stack, ptr::null_mut());
            Some(Self(memory))
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: no longer in use: handlers do not run while this does, unless this crashes.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(ptr::null(), &raw mut now);
            if now.ss_sp == self.0 {
                let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: Self::BYTES };
                libc::sigaltstack(&raw const none, ptr::null_mut());
            }
            libc::munmap(self.0, Self::BYTES);
        }
    }
}
