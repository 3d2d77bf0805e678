//! Collects LLVM's diagnostics through the handler of a context. Without a handler, LLVM prints errors and exits.
use inkwell::llvm_sys::{self, LLVMDiagnosticSeverity, prelude::LLVMDiagnosticInfoRef};
use std::{
    cell::RefCell,
    ffi::{CStr, c_void},
};

thread_local! {
    static SAID: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Returns the errors that were reported on this thread since the last call.
pub fn take_messages() -> Vec<String> {
    SAID.take()
}

/// The handler, for `LLVMContextSetDiagnosticHandler`: keeps errors, drops the rest.
#[allow(clippy::not_unsafe_ptr_arg_deref, reason = "LLVM calls it, and its type of handlers is a safe function")]
pub extern "C" fn collect_messages(info: LLVMDiagnosticInfoRef, _user: *mut c_void) {
    // SAFETY: the description is live during the call; the message is ours to free.
    unsafe {
        if !matches!(llvm_sys::core::LLVMGetDiagInfoSeverity(info), LLVMDiagnosticSeverity::LLVMDSError) {
            return;
        }
        let text = llvm_sys::core::LLVMGetDiagInfoDescription(info);
        SAID.with_borrow_mut(|said| said.push(CStr::from_ptr(text).to_string_lossy().into_owned()));
        llvm_sys::core::LLVMDisposeMessage(text);
    }
}
