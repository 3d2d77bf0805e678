//! Errors across the C interface.
use halyard_diag::{Error, Result};
use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

thread_local! {
    /// The message and the code of this thread's last failure.
    static LAST: RefCell<(CString, CString)> = RefCell::default();
}

fn remember(message: String, code: &str) {
    let text = |text: String| CString::new(text.replace('\0', " ")).unwrap_or_default();
    LAST.set((text(message), text(code.to_owned())));
}

/// Runs a function of the interface; `failed` is what it returns when it fails.
pub(crate) fn guard<T>(failed: T, run: impl FnOnce() -> Result<T>) -> T {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => {
            let code = error.diagnostics.iter().find_map(|d| d.code).unwrap_or_default();
            remember(message(&error), code);
            failed
        }
        Err(_) => {
            remember("a bug in libhalyard: it panicked".into(), "internal");
            failed
        }
    }
}

/// The message with its facts and next steps, in one line.
fn message(error: &Error) -> String {
    let mut parts = Vec::new();
    for d in &error.diagnostics {
        let place = d.origin.as_ref().map_or(String::new(), |o| format!("{o}: "));
        parts.push(format!("{place}{}", d.message));
        parts.extend(d.notes.iter().cloned());
        parts.extend(d.hints.iter().map(|h| format!("hint: {h}")));
    }
    parts.join("; ")
}

/// Borrows a C string as UTF-8. Fails if it is null or not UTF-8.
pub(crate) unsafe fn text<'a>(string: *const c_char) -> Result<&'a str> {
    if string.is_null() {
        return Err(Error::usage("a string is NULL"));
    }
    unsafe { CStr::from_ptr(string) }.to_str().map_err(|_| Error::usage("a string is not UTF-8"))
}

/// Borrows a C string as a path.
pub(crate) unsafe fn path<'a>(string: *const c_char) -> Result<&'a Path> {
    use std::os::unix::ffi::OsStrExt;
    if string.is_null() {
        return Err(Error::usage("the path is NULL"));
    }
    Ok(Path::new(std::ffi::OsStr::from_bytes(unsafe { CStr::from_ptr(string) }.to_bytes())))
}

/// Borrows a C array as a slice.
pub(crate) unsafe fn list<'a, T>(first: *const T, count: usize, what: impl Fn() -> &'static str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(Error::usage(format!("{} must not be NULL: there are {count}", what())));
    }
    if count.checked_mul(size_of::<T>()).is_none_or(|bytes| isize::try_from(bytes).is_err()) || !first.is_aligned() {
        return Err(Error::usage(format!("{} cannot be {count} at this address", what())));
    }
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// Checks a pointer that a function of the C interface writes its result to.
pub(crate) unsafe fn to_write<T>(to: *mut T, what: &str) -> Result<*mut T> {
    if to.is_null() { Err(Error::usage(format!("{what} to be filled in is NULL"))) } else { Ok(to) }
}

#[unsafe(no_mangle)]
pub extern "C" fn halyard_last_error() -> *const c_char {
    LAST.with_borrow(|(message, _)| message.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn halyard_last_error_code() -> *const c_char {
    LAST.with_borrow(|(_, code)| code.as_ptr())
}
