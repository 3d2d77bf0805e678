//! The runtime's C interface: `include/halyard/halyard.h` of `common/runtime` documents each function.
//!
//! Nothing unwinds into C: a panic, which is a bug of Halyard, becomes an error.
// SAFETY of all blocks: the header's contract. Pointers come from functions of this library and were not freed, or point
// to as many readable (or writable) objects as the count beside them says; strings end with zero.
#![allow(clippy::undocumented_unsafe_blocks, clippy::missing_safety_doc, reason = "stated once, above")]

pub mod error;
pub mod instance;
pub mod loader;
pub mod program;

use error::guard;
use halyard_diag::Error;
use halyard_runtime::crash;
use std::ffi::c_char;

#[unsafe(no_mangle)]
pub extern "C" fn halyard_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn halyard_report_crashes(file: i32) -> i32 {
    guard(-1, || {
        if file < 0 {
            return Err(Error::usage(format!("{file} is not a file descriptor")));
        }
        crash::install(Some(file));
        Ok(0)
    })
}
