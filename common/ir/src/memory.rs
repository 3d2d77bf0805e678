//! Handles failed allocations in MLIR and LLVM: they are built without exceptions, and would continue with null
//! pointers.
use std::sync::atomic::{AtomicI32, Ordering};

static CODE: AtomicI32 = AtomicI32::new(0);

unsafe extern "C" {
    /// `std::new_handler std::set_new_handler(std::new_handler)` of the C++ library that MLIR is linked with.
    #[link_name = "_ZSt15set_new_handlerPFvvE"]
    fn set_new_handler(handler: Option<extern "C" fn()>) -> Option<extern "C" fn()>;
}

/// Makes failed allocations of MLIR or LLVM end the process with an exit code; for worker processes.
pub fn exit_without_memory(code: i32) {
    CODE.store(code, Ordering::Relaxed);
    // SAFETY: the handler is a function of the right type that never returns.
    unsafe { set_new_handler(Some(no_memory)) };
}

/// Whether this is a worker process.
pub(crate) fn is_worker() -> bool {
    CODE.load(Ordering::Relaxed) != 0
}

extern "C" fn no_memory() {
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(CODE.load(Ordering::Relaxed)) }
}
