//! Tensors of programs for other libraries, by DLPack.
use crate::dlpack::{CPU, DlDevice, DlTensor, Managed, ManagedVersioned, NAME, VERSIONED, capsule_name, type_of};
use halyard_runtime::Tensor;
use pyo3::{ffi, prelude::*};
use std::{
    ffi::{CStr, c_void},
    ptr,
    sync::Arc,
};

/// Keeps what the structure points to.
struct Kept {
    _tensor: Arc<Tensor>,
    shape: Vec<i64>,
}

/// Makes a capsule of DLPack that shares the tensor's memory.
pub(crate) fn capsule(py: Python<'_>, tensor: &Arc<Tensor>, versioned: bool) -> PyResult<Py<PyAny>> {
    let shape = tensor.shape().iter().map(|&d| d as i64).collect();
    let mut kept = Box::new(Kept { _tensor: tensor.clone(), shape });
    let seen = DlTensor {
        data: tensor.bytes().as_ptr().cast_mut().cast(),
        device: DlDevice { kind: CPU, id: 0 },
        rank: tensor.shape().len() as i32,
        dtype: type_of(tensor.dtype()),
        shape: kept.shape.as_mut_ptr(),
        strides: ptr::null_mut(),
        byte_offset: 0,
    };
    let context: *mut c_void = Box::into_raw(kept).cast();
    let pointer: *mut c_void = if versioned {
        let delete = Some(delete_versioned as unsafe extern "C" fn(_));
        Box::into_raw(Box::new(ManagedVersioned { major: 1, minor: 0, context, delete, flags: 0, tensor: seen })).cast()
    } else {
        let delete = Some(delete_plain as unsafe extern "C" fn(_));
        Box::into_raw(Box::new(Managed { tensor: seen, context, delete })).cast()
    };
    // SAFETY: the pointer is what the name says; the destructor frees it unless somebody has taken it.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer, capsule_name(versioned), Some(dropped));
        Bound::from_owned_ptr_or_err(py, capsule).map(Bound::unbind)
    }
}

unsafe extern "C" fn delete_plain(managed: *mut Managed) {
    // SAFETY: `capsule` made it, and it is deleted once.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Kept>()));
    }
}

unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: `capsule` made it, and it is deleted once.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Kept>()));
    }
}

/// Nobody has taken the tensor if the capsule still has its first name.
unsafe extern "C" fn dropped(capsule: *mut ffi::PyObject) {
    let still = |name: &CStr| {
        // SAFETY: Python gives a live capsule.
        unsafe {
            (ffi::PyCapsule_IsValid(capsule, name.as_ptr()) != 0)
                .then(|| ffi::PyCapsule_GetPointer(capsule, name.as_ptr()))
        }
    };
    // SAFETY: the names say which structure it is.
    unsafe {
        if let Some(pointer) = still(NAME) {
            delete_plain(pointer.cast());
        } else if let Some(pointer) = still(VERSIONED) {
            delete_versioned(pointer.cast());
        }
    }
}
