//! Copyable handles to IR, over the C API.
//!
//! A handle is valid as long as its [`crate::Session`] and the object that it refers to. Passes and a dropped module free
//! operations, as in C++ MLIR: handles do not outlive them. [`Op::erase`] frees nothing before the session ends.

mod affine;
mod attr;
mod builder;
mod constant;
pub(crate) mod erased;
mod forall;
mod linalg;
mod op;
mod ty;
mod walk;

pub use affine::{Affine, AffineKind};
pub use attr::Attr;
pub use builder::{Builder, Loc};
pub use forall::{Bound, DYNAMIC, ForallLoop};
pub use linalg::{EXTREMES, INTEGER_DIVISIONS, Structured, is_contraction, is_convolution};
pub use op::{Block, Op, Region, Value};
pub use ty::Type;

use mlir_sys::MlirStringRef;

pub(crate) fn string_ref(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// Copies a string that the C API returned.
pub(crate) fn owned(raw: MlirStringRef) -> String {
    if raw.length == 0 {
        return String::new();
    }
    // SAFETY: the C API returns a pointer to `length` readable bytes.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The callback that appends what the C API prints to a `Vec<u8>`.
pub(crate) unsafe extern "C" fn append(text: MlirStringRef, user: *mut std::ffi::c_void) {
    if text.length > 0 {
        // SAFETY: all callers pass a `&mut Vec<u8>` as user data, and the C API passes readable bytes.
        unsafe {
            (*user.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(text.data.cast(), text.length))
        };
    }
}

/// Implements `Debug`, `PartialEq`, `Eq`, `Hash` and `Display` for a handle.
macro_rules! handle {
    ($name:ident, $print:ident) => {
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.ptr == other.0.ptr
            }
        }
        impl Eq for $name {}
        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                (self.0.ptr as usize).hash(state);
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut text = Vec::<u8>::new();
                // SAFETY: the handle is valid and `append` is given the vector that it expects.
                unsafe { mlir_sys::$print(self.0, Some($crate::handles::append), (&raw mut text).cast()) };
                f.write_str(&String::from_utf8_lossy(&text))
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}
pub(crate) use handle;
