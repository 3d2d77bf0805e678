//! What is said when a kernel touches memory that is not its own: which buffer it is next to.
//!
//! The handler runs in a worker process, before the one that tells of crashes; it only compares addresses with a table and
//! writes to standard error.
use crate::memory::Buffer;
use std::{
    ptr,
    sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering},
};

/// What the line begins with by which a worker says where a kernel faulted.
pub(crate) const MARK: &str = "hal-verify-fault ";

/// As many buffers as are told apart.
const MOST: usize = 128;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static ADDRESSES: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
static SIZES: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
/// The workgroup that runs.
pub(crate) static WORKGROUP: [AtomicI32; 3] = [const { AtomicI32::new(-1) }; 3];
// SAFETY: a structure of C whose fields may all be zero.
static mut BEFORE: [libc::sigaction; 2] = unsafe { std::mem::zeroed() };

/// What the lines begin with by which a worker says that a kernel begins to run, and that it has ended.
pub(crate) const BEGIN: &str = "hal-verify-begin ";
pub(crate) const END: &str = "hal-verify-end";

/// Watches over buffers while a kernel runs.
pub(crate) fn watching<T>(kernel: &str, buffers: &[&Buffer], run: impl FnOnce() -> T) -> T {
    say(&format!("{BEGIN}{kernel}\n"));
    for (i, buffer) in buffers.iter().take(MOST).enumerate() {
        ADDRESSES[i].store(buffer.address(), Ordering::Relaxed);
        SIZES[i].store(buffer.bytes().len() as u64, Ordering::Relaxed);
    }
    COUNT.store(buffers.len().min(MOST), Ordering::SeqCst);
    install();
    let result = run();
    restore();
    COUNT.store(0, Ordering::SeqCst);
    say(&format!("{END}\n"));
    result
}

/// Writes to standard error, which the parent of a worker reads.
pub(crate) fn say(text: &str) {
    // SAFETY: a system call with a live text and its length.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}

fn install() {
    // SAFETY: the structures are plain numbers; a worker has one thread.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        for (i, signal) in [libc::SIGSEGV, libc::SIGBUS].into_iter().enumerate() {
            libc::sigaction(signal, &raw const action, (&raw mut BEFORE).cast::<libc::sigaction>().add(i));
        }
    }
}

fn restore() {
    // SAFETY: what `install` found.
    unsafe {
        for (i, signal) in [libc::SIGSEGV, libc::SIGBUS].into_iter().enumerate() {
            libc::sigaction(signal, (&raw const BEFORE).cast::<libc::sigaction>().add(i), ptr::null_mut());
        }
    }
}

/// Says which buffer the address is next to, and lets the handler that was there before see it again.
extern "C" fn handle(_signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel passes a live structure.
    let address = unsafe { (*info).si_addr() } as u64;
    let mut line = Line::default();
    line.text(MARK);
    let count = COUNT.load(Ordering::SeqCst);
    let distance = |i: usize| {
        let (start, size) = (ADDRESSES[i].load(Ordering::Relaxed), SIZES[i].load(Ordering::Relaxed));
        if address < start { start - address } else { address.saturating_sub(start + size) }
    };
    match (0..count).min_by_key(|&i| distance(i)).filter(|&i| distance(i) < 1 << 24) {
        Some(i) => {
            let start = ADDRESSES[i].load(Ordering::Relaxed);
            line.number(i as i64);
            line.text(" ");
            line.number(address.wrapping_sub(start).cast_signed());
            line.text(" ");
            line.number(SIZES[i].load(Ordering::Relaxed).cast_signed());
        }
        None => line.text("-1 0 0"),
    }
    for id in &WORKGROUP {
        line.text(" ");
        line.number(id.load(Ordering::Relaxed).into());
    }
    line.text("\n");
    // SAFETY: a system call with a live text and its length.
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), line.length) };
    // The instruction faults again and is reported like any other crash.
    restore();
}

/// A line of text, made without allocating.
struct Line {
    bytes: [u8; 256],
    length: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self { bytes: [0; 256], length: 0 }
    }
}

impl Line {
    fn text(&mut self, text: &str) {
        for byte in text.bytes().take(self.bytes.len() - self.length) {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
    }

    fn number(&mut self, n: i64) {
        let mut digits = [0u8; 20];
        let (mut rest, mut i) = (n.unsigned_abs(), digits.len());
        while rest > 0 || i == digits.len() {
            i -= 1;
            digits[i] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        if n < 0 {
            self.text("-");
        }
        self.text(std::str::from_utf8(&digits[i..]).unwrap_or_default());
    }
}
