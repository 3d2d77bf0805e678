//! Host functions in C: `include/halyard/module.h` documents these types.
use super::{HostCall, call::Output};
use crate::DType;
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr,
};

/// The version of the interface, `HAL_MODULE_ABI`.
pub const MODULE_ABI: u32 = 1;

/// `hal_tensor_t`.
#[repr(C)]
#[derive(Debug)]
pub struct CHostTensor {
    dtype: u32,
    rank: u32,
    shape: *const i64,
    data: *mut c_void,
}

/// `hal_call_t`.
#[repr(C)]
#[derive(Debug)]
pub struct CCall {
    input_count: u32,
    result_count: u32,
    inputs: *const CHostTensor,
    results: *mut CHostTensor,
    allocate: unsafe extern "C" fn(*mut CCall, u32, u32, *const i64) -> *mut c_void,
    fail: unsafe extern "C" fn(*mut CCall, *const c_char) -> c_int,
}

/// `hal_function_t`.
pub type CHostFunction = unsafe extern "C" fn(*mut CCall, *mut c_void) -> c_int;

/// `hal_function_entry_t`.
#[repr(C)]
#[derive(Debug)]
pub struct CFunction {
    pub(super) name: *const c_char,
    pub(super) signature: *const c_char,
    pub(super) function: Option<CHostFunction>,
}

/// `hal_module_t`.
#[repr(C)]
#[derive(Debug)]
pub struct CModule {
    pub(super) abi: u32,
    pub(super) version: u32,
    pub(super) name: *const c_char,
    pub(super) function_count: usize,
    pub(super) functions: *const CFunction,
    pub(super) start: Option<unsafe extern "C" fn(*mut *mut c_void, *mut c_char, usize) -> c_int>,
    pub(super) stop: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// A call while C works on it. The first field is what C sees.
#[repr(C)]
struct Frame<'a, 'b> {
    seen: CCall,
    call: &'a mut HostCall<'b>,
    results: Vec<CHostTensor>,
    message: String,
}

/// Calls a function of C.
///
/// # Safety
/// The function is a `hal_function_t` that does what `module.h` says, and takes that state.
pub(super) unsafe fn invoke(
    function: CHostFunction,
    state: *mut c_void,
    call: &mut HostCall<'_>,
) -> Result<(), String> {
    let inputs: Vec<CHostTensor> = call
        .inputs
        .iter()
        .map(|i| CHostTensor {
            dtype: number(i.dtype),
            rank: i.shape.len() as u32,
            shape: i.shape.as_ptr(),
            data: i.span.address as *mut c_void,
        })
        .collect();
    let results = call.outputs.iter().map(tensor).collect();
    // The frame borrows the call until the function has returned.
    let mut frame = Frame {
        seen: CCall {
            input_count: inputs.len() as u32,
            result_count: call.outputs.len() as u32,
            inputs: inputs.as_ptr(),
            results: ptr::null_mut(),
            allocate,
            fail,
        },
        call: &mut *call,
        results,
        message: String::new(),
    };
    frame.seen.results = frame.results.as_mut_ptr();
    let pointer = &raw mut frame;
    // SAFETY: the caller's promise. The frame is used through this pointer only, until the function returns.
    let status = unsafe { function(pointer.cast(), state) };
    // SAFETY: it is our own variable.
    let message = unsafe { std::mem::take(&mut (*pointer).message) };
    match status {
        0 if message.is_empty() => Ok(()),
        _ if !message.is_empty() => Err(message),
        // The first mistake is the reason.
        _ if call.problem.is_some() => Ok(()),
        status => Err(format!("it returned {status} and gave no reason")),
    }
}

fn tensor(output: &Output) -> CHostTensor {
    CHostTensor {
        dtype: number(output.dtype),
        rank: output.shape.len() as u32,
        shape: output.shape.as_ptr(),
        data: output.span.map_or(ptr::null_mut(), |s| s.address as *mut c_void),
    }
}

/// The number of an element type in C: its place in the list.
fn number(dtype: DType) -> u32 {
    DType::ALL.iter().position(|&d| d == dtype).unwrap_or(0) as u32
}

unsafe extern "C" fn allocate(call: *mut CCall, result: u32, rank: u32, shape: *const i64) -> *mut c_void {
    // SAFETY: C got the pointer from `invoke` and uses it during the call; the shape has that many numbers.
    let (frame, shape) = unsafe {
        let shape = if rank == 0 || shape.is_null() { &[] } else { std::slice::from_raw_parts(shape, rank as usize) };
        (&mut *call.cast::<Frame<'_, '_>>(), shape)
    };
    let index = result as usize;
    match frame.call.result(index, shape).map(|bytes| bytes.as_mut_ptr()) {
        Ok(data) => {
            // The shape that was asked for is the result's now.
            frame.results[index] = tensor(&frame.call.outputs[index]);
            data.cast()
        }
        Err(_) => ptr::null_mut(),
    }
}

unsafe extern "C" fn fail(call: *mut CCall, message: *const c_char) -> c_int {
    // SAFETY: as in `allocate`; the message ends with zero.
    unsafe {
        let frame = &mut *call.cast::<Frame<'_, '_>>();
        frame.message = text(message).unwrap_or_default();
    }
    1
}

/// A string of C; `None` if it is NULL or no UTF-8.
///
/// # Safety
/// NULL, or the address of bytes that end with zero.
pub(super) unsafe fn text(string: *const c_char) -> Option<String> {
    if string.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    Some(unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned())
}
