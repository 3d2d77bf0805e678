//! LLVM's fatal errors and failed allocations, in a worker: by itself LLVM prints a line and aborts, and nobody knows
//! which kernel it was.
use std::{
    ffi::{CStr, c_char},
    io::Write,
};

/// What stands before the reason on standard error.
pub(crate) const MARK: &str = "LLVM ERROR: ";

unsafe extern "C" {
    /// `std::new_handler std::set_new_handler(std::new_handler)` of the C++ library that LLVM is linked with.
    #[link_name = "_ZSt15set_new_handlerPFvvE"]
    fn set_new_handler(handler: Option<extern "C" fn()>) -> Option<extern "C" fn()>;
}

/// Lets fatal errors and failed allocations end the worker with an exit code that says which it was.
pub(crate) fn contain() {
    // SAFETY: the handlers are functions of the right type that never return.
    unsafe {
        inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(fatal));
        set_new_handler(Some(no_memory));
    }
}

extern "C" fn fatal(reason: *const c_char) {
    // SAFETY: LLVM passes a zero-terminated text.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    // The printer is out of reach inside LLVM.
    let _ = std::io::stderr().write_all(format!("{MARK}{reason}\n").as_bytes());
    // SAFETY: ends the process at once; LLVM's state is lost.
    unsafe { libc::_exit(halyard_exec::EXIT_GAVE_UP) }
}

extern "C" fn no_memory() {
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(halyard_exec::EXIT_MEMORY) }
}
