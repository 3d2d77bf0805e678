//! Memory of references: what they allocate is freed when they have returned, so that nobody needs to find out when.
use crate::fault::say;
use std::{cell::RefCell, ffi::c_void};

thread_local! {
    static ALLOCATED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// What the lowering of `memref.alloc` calls.
pub(crate) extern "C" fn allocate(bytes: u64) -> *mut c_void {
    // SAFETY: any size may be asked for.
    let memory = unsafe { libc::malloc(usize::try_from(bytes).unwrap_or(usize::MAX).max(1)) };
    if memory.is_null() {
        // As where any allocation fails in a worker.
        say("memory allocation failed: out of memory\n");
        // SAFETY: ends the process.
        unsafe { libc::abort() };
    }
    ALLOCATED.with_borrow_mut(|list| list.push(memory as usize));
    memory
}

/// What the lowering of `memref.dealloc` calls; it is done later.
pub(crate) extern "C" fn free(_memory: *mut c_void) {}

/// Frees what was allocated since the last call.
pub(crate) fn clear() {
    for memory in ALLOCATED.take() {
        // SAFETY: it comes from `malloc`, and the reference that used it has returned.
        unsafe { libc::free(memory as *mut c_void) };
    }
}
