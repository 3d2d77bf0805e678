//! Detects that standard output is closed (`>&-`).
//!
//! Before `main`, Rust opens `/dev/null` as a replacement, and output is lost without an error. This check runs before
//! that.
use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs when the program is loaded, before Rust's own start.
extern "C" fn look() {
    // SAFETY: a system call on numbers.
    if unsafe { libc::fcntl(1, libc::F_GETFD) } < 0 {
        CLOSED.store(true, Ordering::Relaxed);
    }
}

#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;

/// Errors: standard output was closed when the process began.
pub(crate) fn writable() -> io::Result<()> {
    if CLOSED.load(Ordering::Relaxed) { Err(io::Error::other("it is closed")) } else { Ok(()) }
}
