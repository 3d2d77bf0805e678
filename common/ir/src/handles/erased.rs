//! Erased operations, kept until their context goes.
//!
//! MLIR frees an operation when it is erased, and gives its memory to the next one: a handle that was copied before would
//! name something else, without a word. Here an erased operation only leaves its block and its operands; its memory stays
//! until the session ends. A handle to it is harmless in release builds (it reads an operation without a parent), and a
//! panic in debug builds.
use mlir_sys::{MlirContext, MlirOperation, mlirOperationDestroy, mlirOperationGetContext};
use std::{cell::RefCell, collections::HashMap};

#[derive(Default)]
struct Erased {
    /// The operations that were erased, with their contexts.
    roots: Vec<(usize, MlirOperation)>,
    /// In debug builds: the addresses of these and of all operations inside, with their contexts.
    addresses: HashMap<usize, usize>,
}

thread_local! {
    /// Sessions do not cross threads, so neither do their operations.
    static ERASED: RefCell<Erased> = RefCell::default();
}

/// Keeps an operation that is in no block and uses nothing outside itself; `inside` has it and all operations inside.
pub(super) fn keep(op: MlirOperation, inside: impl Iterator<Item = MlirOperation>) {
    // SAFETY: the operation is live.
    let context = unsafe { mlirOperationGetContext(op) }.ptr as usize;
    ERASED.with_borrow_mut(|erased| {
        erased.roots.push((context, op));
        if cfg!(debug_assertions) {
            erased.addresses.extend(inside.map(|op| (op.ptr as usize, context)));
        }
    });
}

/// Panics in debug builds if an operation was erased.
#[inline]
pub(super) fn check(op: MlirOperation) {
    if cfg!(debug_assertions) {
        let erased = ERASED.with_borrow(|erased| erased.addresses.contains_key(&(op.ptr as usize)));
        assert!(!erased, "a handle to an operation is used after it was erased");
    }
}

/// Frees the erased operations of a context when it is dropped, which must be before the context is.
pub(crate) struct FreesErased(pub(crate) MlirContext);

impl Drop for FreesErased {
    fn drop(&mut self) {
        // Where a thread that ends has dropped its list before its session, their memory stays.
        let _ = ERASED.try_with(|erased| {
            let mut erased = erased.borrow_mut();
            let context = self.0.ptr as usize;
            erased.addresses.retain(|_, of| *of != context);
            for (_, op) in erased.roots.extract_if(.., |(of, _)| *of == context) {
                // SAFETY: `Op::erase` took it out of its block, nothing uses its results, and its context is live.
                unsafe { mlirOperationDestroy(op) };
            }
        });
    }
}
