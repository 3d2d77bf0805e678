//! LLVM's fatal errors: by itself it prints a line and aborts, and nobody knows which kernel it was.
use std::{
    cell::RefCell,
    ffi::{CStr, c_char},
    io::Write,
    sync::Once,
};

thread_local! {
    /// What this thread is translating, for people.
    static SUBJECT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Says what this thread is about to translate.
pub(crate) fn set_subject(subject: &str) {
    static ONCE: Once = Once::new();
    // SAFETY: the handler is a function of the right type that never returns.
    ONCE.call_once(|| unsafe { inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(fatal)) });
    SUBJECT.with_borrow_mut(|s| subject.clone_into(s));
}

/// Names what was being translated and ends the process: LLVM's state is lost, and unwinding through it is not possible.
extern "C" fn fatal(reason: *const c_char) {
    // SAFETY: LLVM passes a zero-terminated text.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy().into_owned();
    let reason = reason.lines().next().unwrap_or_default().to_owned();
    let subject = SUBJECT.try_with(|s| s.borrow().clone()).unwrap_or_default();
    let text = format!(
        "error: {subject}: LLVM failed: {reason}\n  = hint: leave the executable out or replace it, and please report it with the executable as `hal-opt` prints it\n"
    );
    // The printer is out of reach inside LLVM.
    let _ = std::io::stderr().write_all(text.as_bytes());
    // SAFETY: ends the process at once; other threads may be inside LLVM, so nothing may run its destructors.
    unsafe { libc::_exit(101) }
}
