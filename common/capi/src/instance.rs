//! Instances and their calls.
use crate::{
    error::{guard, list, text, to_write},
    program::CProgram,
};
use halyard_diag::{Error, Result};
use halyard_runtime::{DType, Instance, InstanceOptions, OutputMemory, Tensor, TensorView};
use std::{
    cell::UnsafeCell,
    ffi::c_char,
    ptr,
    sync::atomic::{AtomicU8, Ordering},
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

/// `halyard_instance_t`. A host function may access it during a call, so code reads only `state` until it knows which
/// call owns the other fields.
#[derive(Debug)]
pub struct CInstance {
    state: AtomicU8,
    inner: UnsafeCell<Inner>,
}

#[derive(Debug)]
struct Inner {
    instance: Instance,
    outputs: Vec<Tensor>,
    shapes: Vec<Vec<i64>>,
    /// The memory of the caller that outputs are in, if they are.
    places: Vec<Option<*const u8>>,
    /// The state that was asked for last, and its shape.
    state: Option<(Tensor, Vec<i64>)>,
}

impl Inner {
    /// Outputs of a call that failed are not the last ones that succeeded.
    fn forget(&mut self) {
        self.outputs.clear();
        self.shapes.clear();
        self.places.clear();
    }
}

/// State of an instance that no call uses.
const IDLE: u8 = 0;
/// State of an instance that a call uses.
const BUSY: u8 = 1;
/// Somebody has it, and shall free it.
const FREED: u8 = 2;

/// Exclusive use of an instance, until it is dropped.
struct Taken(*mut CInstance);

impl Taken {
    unsafe fn take(instance: *mut CInstance) -> Result<Self> {
        let this = unsafe { instance.as_ref() }.ok_or_else(|| Error::usage("the instance is NULL"))?;
        match this.state.compare_exchange(IDLE, BUSY, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(Self(instance)),
            Err(FREED) => Err(Error::usage("the instance was freed during this call")),
            Err(_) => Err(Error::usage(
                "the instance is in a call already: a host function, or another thread, must not call it",
            )),
        }
    }

    fn inner(&mut self) -> &mut Inner {
        // The caller that sets the state to busy has exclusive access.
        unsafe { &mut *(*self.0).inner.get() }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let state = unsafe { &(*self.0).state };
        if state.compare_exchange(BUSY, IDLE, Ordering::Release, Ordering::Acquire).is_err() {
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_create(program: *const CProgram, threads: usize) -> *mut CInstance {
    guard(ptr::null_mut(), || {
        let program = unsafe { program.as_ref() }.ok_or_else(|| Error::usage("the program is NULL"))?;
        let instance = Instance::new(&program.program, InstanceOptions { threads })?;
        let inner = UnsafeCell::new(Inner {
            instance,
            outputs: Vec::new(),
            shapes: Vec::new(),
            places: Vec::new(),
            state: None,
        });
        Ok(Box::into_raw(Box::new(CInstance { state: AtomicU8::new(IDLE), inner })))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_free(instance: *mut CInstance) {
    let Some(this) = (unsafe { instance.as_ref() }) else { return };
    // In a call: the instance is freed when that ends.
    let state = this.state.swap(FREED, Ordering::AcqRel);
    if state == IDLE {
        guard((), || {
            drop(unsafe { Box::from_raw(instance) });
            Ok(())
        });
    }
}

/// `halyard_buffer_t`.
#[repr(C)]
#[derive(Debug)]
pub struct CBuffer {
    dtype: u32,
    data: *mut u8,
    bytes: usize,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_call_into(
    instance: *mut CInstance,
    function: *const c_char,
    inputs: *const CTensor,
    count: usize,
    outputs: *const CBuffer,
    output_count: usize,
) -> i32 {
    guard(-1, || {
        let mut taken = unsafe { Taken::take(instance) }?;
        let inner = taken.inner();
        let function = unsafe { text(function) }?;
        let given = unsafe { read_inputs(inputs, count) }?;
        let views = given.iter().map(Input::view).collect::<Result<Vec<_>>>()?;
        let buffers = unsafe { list(outputs, output_count, || "the outputs") }?;
        let memory = buffers.iter().enumerate().map(|(i, buffer)| lent(i, buffer)).collect::<Result<Vec<_>>>()?;
        let mut tensors = std::mem::take(&mut inner.outputs);
        inner.forget();
        // The header makes the caller promise what this asks for.
        let shapes = unsafe { inner.instance.call_into_memory(function, &views, &memory, &mut tensors) }?;
        inner.shapes = shapes.into_iter().map(|s| s.into_iter().map(|d| d as i64).collect()).collect();
        inner.places = memory.iter().map(|m| m.map(|m| m.data.cast_const())).collect();
        inner.outputs = tensors;
        Ok(0)
    })
}

/// Memory for an output; `None` leaves it to the instance. Errors: it is malformed.
fn lent(index: usize, buffer: &CBuffer) -> Result<Option<OutputMemory>> {
    let CBuffer { dtype, data, bytes } = *buffer;
    let wrong = |what: String| Error::usage(format!("output {index}: {what}")).code("wrong-output");
    if data.is_null() {
        return if bytes == 0 { Ok(None) } else { Err(wrong(format!("its memory of {bytes} bytes is NULL"))) };
    }
    let dtype = *DType::ALL.get(dtype as usize).ok_or_else(|| wrong(format!("{dtype} is not an element type")))?;
    if isize::try_from(bytes).is_err() || data.addr().checked_add(bytes).is_none() {
        return Err(wrong(format!("its memory cannot have {bytes} bytes at this address")));
    }
    Ok(Some(OutputMemory { dtype, data, bytes }))
}

unsafe fn read_inputs<'a>(inputs: *const CTensor, count: usize) -> Result<Vec<Input<'a>>> {
    let inputs = unsafe { list::<'a>(inputs, count, || "the inputs") }?;
    inputs.iter().enumerate().map(|(i, t)| unsafe { input(&format!("input {i}"), t) }).collect()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_call(
    instance: *mut CInstance,
    function: *const c_char,
    inputs: *const CTensor,
    count: usize,
) -> i32 {
    guard(-1, || {
        let mut taken = unsafe { Taken::take(instance) }?;
        let inner = taken.inner();
        let function = unsafe { text(function) }?;
        let inputs = unsafe { read_inputs(inputs, count) }?;
        let views = inputs.iter().map(Input::view).collect::<Result<Vec<_>>>()?;
        let mut outputs = std::mem::take(&mut inner.outputs);
        inner.forget();
        inner.instance.call_on_into(function, &views, &mut outputs)?;
        inner.shapes = outputs.iter().map(|t| t.shape().iter().map(|&d| d as i64).collect()).collect();
        inner.outputs = outputs;
        Ok(0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_output_count(instance: *const CInstance) -> usize {
    guard(0, || Ok(unsafe { Taken::take(instance.cast_mut()) }?.inner().outputs.len()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_output(
    instance: *const CInstance,
    output: usize,
    tensor: *mut CTensor,
) -> i32 {
    guard(-1, || {
        let mut taken = unsafe { Taken::take(instance.cast_mut()) }?;
        let Inner { outputs, shapes, places, .. } = taken.inner();
        let found = outputs
            .get(output)
            .ok_or_else(|| Error::usage(format!("there is no output {output}, there are {}", outputs.len())))?;
        let mut seen = seen(found, &shapes[output]);
        seen.data = places.get(output).copied().flatten().unwrap_or(seen.data);
        unsafe { to_write(tensor, "the tensor")?.write(seen) };
        Ok(0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_state(
    instance: *mut CInstance,
    name: *const c_char,
    to: *mut CTensor,
) -> i32 {
    guard(-1, || {
        let mut taken = unsafe { Taken::take(instance) }?;
        let Inner { instance, state, .. } = taken.inner();
        let to = unsafe { to_write(to, "the tensor") }?;
        let found = instance.state(unsafe { text(name) }?)?;
        let shape = found.shape().iter().map(|&d| d as i64).collect();
        let (found, shape) = state.insert((found, shape));
        unsafe { to.write(seen(found, shape)) };
        Ok(0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_set_state(
    instance: *mut CInstance,
    name: *const c_char,
    from: *const CTensor,
) -> i32 {
    guard(-1, || {
        let mut taken = unsafe { Taken::take(instance) }?;
        let from = unsafe { from.as_ref() }.ok_or_else(|| Error::usage("the tensor is NULL"))?;
        let given = unsafe { tensor("the tensor", from) }?;
        taken.inner().instance.set_state(unsafe { text(name) }?, &given)?;
        Ok(0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_instance_reset_state(instance: *mut CInstance, name: *const c_char) -> i32 {
    guard(-1, || {
        let mut taken = unsafe { Taken::take(instance) }?;
        let instance = &mut taken.inner().instance;
        if name.is_null() { instance.reset_states() } else { instance.reset_state(unsafe { text(name) }?) }?;
        Ok(0)
    })
}

/// A tensor as C sees it; it lives as long as both.
fn seen(tensor: &Tensor, shape: &[i64]) -> CTensor {
    let dtype = DType::ALL.iter().position(|&d| d == tensor.dtype()).unwrap_or(0) as u32;
    CTensor { dtype, rank: shape.len(), shape: shape.as_ptr(), data: tensor.bytes().as_ptr() }
}

/// An input of a call.
enum Input<'a> {
    /// In the caller's memory, aligned as kernels need it.
    Lent { dtype: DType, shape: Vec<usize>, data: &'a [u8] },
    /// A copy.
    Copied(Tensor),
}

impl Input<'_> {
    fn view(&self) -> Result<TensorView<'_>> {
        match self {
            Self::Lent { dtype, shape, data } => TensorView::new(*dtype, shape, data),
            Self::Copied(tensor) => TensorView::new(tensor.dtype(), tensor.shape(), tensor.bytes()),
        }
    }
}

unsafe fn input<'a>(name: &str, c: &CTensor) -> Result<Input<'a>> {
    let (dtype, shape, data) = unsafe { parts(name, c) }?;
    if TensorView::is_aligned(data.as_ptr()) || data.is_empty() {
        return Ok(Input::Lent { dtype, shape, data });
    }
    Tensor::from_bytes(dtype, &shape, data).map(Input::Copied)
}

unsafe fn tensor(name: &str, c: &CTensor) -> Result<Tensor> {
    let (dtype, shape, data) = unsafe { parts(name, c) }?;
    Tensor::from_bytes(dtype, &shape, data)
}

/// The type, shape and elements of a tensor. Errors: it is malformed.
unsafe fn parts<'a>(name: &str, c: &CTensor) -> Result<(DType, Vec<usize>, &'a [u8])> {
    let wrong = |what: &str| Error::usage(format!("{name}: {what}"));
    let dtype =
        *DType::ALL.get(c.dtype as usize).ok_or_else(|| wrong(&format!("{} is not an element type", c.dtype)))?;
    let shape = unsafe { list(c.shape, c.rank, || "its shape") }.map_err(|e| wrong(&e.to_string()))?;
    let shape: Vec<usize> = shape
        .iter()
        .map(|&d| usize::try_from(d))
        .collect::<Result<_, _>>()
        .map_err(|_| wrong("a dimension is negative"))?;
    let bytes = Tensor::byte_count(dtype, &shape).ok_or_else(|| wrong("it is too large"))?;
    let data = unsafe { list(c.data, bytes, || "its data") }.map_err(|e| wrong(&e.to_string()))?;
    Ok((dtype, shape, data))
}
