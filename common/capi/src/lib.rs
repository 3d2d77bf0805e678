//! The runtime for C: `include/halyard/halyard.h` of `common/runtime` documents each function.
//!
//! Nothing unwinds into C: a panic, which is a bug of ours, becomes an error.
// SAFETY of all blocks: the header's contract. Pointers come from functions of this library and were not freed, or point
// to as many readable (or writable) objects as the count beside them says; strings end with zero.
#![allow(clippy::undocumented_unsafe_blocks, clippy::missing_safety_doc, reason = "stated once, above")]

pub mod error;
pub mod loader;
pub mod program;

use error::{guard, text};
use program::CProgram;
use halyard_diag::{Error, Result};
use halyard_runtime::{DType, Instance, Options, Tensor};
use std::{
    ffi::c_char,
    ptr, slice,
    sync::atomic::{AtomicBool, Ordering},
};

/// `halyard_tensor_t`.
#[repr(C)]
#[derive(Debug)]
pub struct CTensor {
    dtype: u32,
    rank: usize,
    shape: *const i64,
    data: *const u8,
}

/// `halyard_instance_t`.
#[derive(Debug)]
pub struct CInstance {
    instance: Instance,
    outputs: Vec<Tensor>,
    shapes: Vec<Vec<i64>>,
    /// A call is in progress: a host function may try another one.
    busy: AtomicBool,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_create(program: *const CProgram, threads: usize) -> *mut CInstance {
    guard(ptr::null_mut(), || {
        let program = unsafe { program.as_ref() }.ok_or_else(|| Error::usage("the program is NULL"))?;
        let instance = Instance::new(&program.program, Options { threads })?;
        Ok(Box::into_raw(Box::new(CInstance { instance, outputs: Vec::new(), shapes: Vec::new(), busy: AtomicBool::new(false) })))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_free(instance: *mut CInstance) {
    if !instance.is_null() {
        drop(unsafe { Box::from_raw(instance) });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_call(instance: *mut CInstance, function: *const c_char, inputs: *const CTensor, count: usize) -> i32 {
    guard(-1, || {
        if instance.is_null() {
            return Err(Error::usage("the instance is NULL"));
        }
        // Only this field, as long as it is not known whether someone else has the instance.
        let busy = unsafe { &(*instance).busy };
        if busy.swap(true, Ordering::Acquire) {
            return Err(Error::usage("the instance is in a call already: a host function, or another thread, must not call it"));
        }
        let _free = Free(busy);
        // Field by field: the guard has the other one.
        let (inner, last, shapes) =
            unsafe { (&mut (*instance).instance, &mut (*instance).outputs, &mut (*instance).shapes) };
        let function = unsafe { text(function) }?;
        let inputs = if count == 0 { &[] } else { unsafe { slice::from_raw_parts(inputs, count) } };
        let inputs = inputs.iter().map(|t| unsafe { tensor(t) }).collect::<Result<Vec<_>>>()?;
        // Outputs of a call that failed are not the last ones that succeeded.
        let mut outputs = std::mem::take(last);
        shapes.clear();
        inner.call_into(function, &inputs, &mut outputs)?;
        *shapes = outputs.iter().map(|t| t.shape().iter().map(|&d| d as i64).collect()).collect();
        *last = outputs;
        Ok(0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_output_count(instance: *const CInstance) -> usize {
    unsafe { instance.as_ref() }.map_or(0, |i| i.outputs.len())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_output(instance: *const CInstance, output: usize, tensor: *mut CTensor) -> i32 {
    guard(-1, || {
        let this = unsafe { instance.as_ref() }.ok_or_else(|| Error::usage("the instance is NULL"))?;
        let found = this.outputs.get(output).ok_or_else(|| Error::usage(format!("there is no output {output}, there are {}", this.outputs.len())))?;
        let shape = &this.shapes[output];
        let dtype = DType::ALL.iter().position(|&d| d == found.dtype()).unwrap_or(0) as u32;
        unsafe { tensor.write(CTensor { dtype, rank: shape.len(), shape: shape.as_ptr(), data: found.bytes().as_ptr() }) };
        Ok(0)
    })
}

/// Lets an instance be called again, however a call ends.
struct Free<'a>(&'a AtomicBool);

impl Drop for Free<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

unsafe fn tensor(c: &CTensor) -> Result<Tensor> {
    let dtype = *DType::ALL.get(c.dtype as usize).ok_or_else(|| Error::usage(format!("{} is not an element type", c.dtype)))?;
    let shape = if c.rank == 0 { &[] } else { unsafe { slice::from_raw_parts(c.shape, c.rank) } };
    let shape: Vec<usize> = shape.iter().map(|&d| usize::try_from(d)).collect::<Result<_, _>>().map_err(|_| Error::usage("a dimension is negative"))?;
    let bytes = Tensor::byte_count(dtype, &shape).ok_or_else(|| Error::usage("an input is too large"))?;
    let data = if bytes == 0 { &[] } else { unsafe { slice::from_raw_parts(c.data, bytes) } };
    Tensor::from_bytes(dtype, &shape, data)
}
