//! MLIR's bytecode reader trusts its input: damaged bytecode may crash it. Such a crash is reported like other damage
//! of an input, with the exit code of an invalid input.
use std::{
    ffi::CString,
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

const SIGNALS: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGILL, libc::SIGFPE];

/// The message to print after a crash; null if nothing is being read.
static LAST_WORDS: AtomicPtr<CString> = AtomicPtr::new(ptr::null_mut());

/// Reads bytecode that messages call `name`. In a worker process it is the parent that tells of crashes.
pub(crate) fn reading<T>(name: &str, read: impl FnOnce() -> T) -> T {
    if crate::memory::is_worker() {
        return read();
    }
    let text = format!(
        "error[damaged-bytecode]: the bytecode is damaged: MLIR's reader crashed on it\n --> {}\n  = hint: write it again; `mlir-opt` of LLVM 22 may tell more\n",
        name.replace('\0', "")
    );
    let mut text = CString::new(text).unwrap_or_default();
    let before = LAST_WORDS.swap(&raw mut text, Ordering::SeqCst);
    let handlers = SIGNALS.map(install);
    let _restored = Restore { before, handlers };
    read()
}

/// Restores the previous state, also when a panic unwinds.
struct Restore {
    before: *mut CString,
    handlers: [libc::sigaction; SIGNALS.len()],
}

impl Drop for Restore {
    fn drop(&mut self) {
        for (signal, action) in SIGNALS.into_iter().zip(&self.handlers) {
            // SAFETY: what the system gave for this signal.
            unsafe { libc::sigaction(signal, action, ptr::null_mut()) };
        }
        LAST_WORDS.store(self.before, Ordering::SeqCst);
    }
}

fn install(signal: i32) -> libc::sigaction {
    // SAFETY: plain numbers, for which zeros are valid, and a handler of the right type.
    unsafe {
        let (mut action, mut before): (libc::sigaction, libc::sigaction) = (std::mem::zeroed(), std::mem::zeroed());
        action.sa_sigaction = tell as *const () as usize;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESETHAND;
        libc::sigaction(signal, &raw const action, &raw mut before);
        before
    }
}

/// Prints what was being read and ends the process, without allocating: the heap may be corrupt.
extern "C" fn tell(_signal: i32) {
    // SAFETY: the text lives as long as the handler is installed; what follows are system calls.
    unsafe {
        if let Some(text) = LAST_WORDS.load(Ordering::SeqCst).as_ref() {
            libc::write(2, text.as_ptr().cast(), text.count_bytes());
        }
        libc::_exit(1)
    }
}
