//! Reports LLVM's fatal errors and failed allocations in a worker: by default LLVM prints a line and aborts, without
//! naming the kernel.
use std::ffi::{CStr, c_char};

/// The prefix of the reason on standard error.
pub(crate) const MARK: &str = "LLVM ERROR: ";

/// Makes fatal errors and failed allocations end the worker with distinct exit codes.
pub(crate) fn contain() {
    // SAFETY: the handler is a function of the right type that never returns.
    unsafe { inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(fatal)) };
    halyard_ir::exit_without_memory(halyard_exec::EXIT_MEMORY);
}

extern "C" fn fatal(reason: *const c_char) {
    // SAFETY: LLVM passes a zero-terminated text.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    let text = format!("{MARK}{reason}\n");
    // Not through Rust's standard error: another thread may have held its lock when this process was forked.
    // SAFETY: the text lives through the call.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
    // SAFETY: ends the process at once; LLVM's state is lost.
    unsafe { libc::_exit(halyard_exec::EXIT_GAVE_UP) }
}
