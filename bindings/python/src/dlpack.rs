//! DLPack: the structures, and tensors that other libraries hand over. See <https://dmlc.github.io/dlpack>.
use halyard_diag::Error;
use halyard_runtime::DType;
use pyo3::{exceptions::PyTypeError, ffi, prelude::*};
use std::ffi::{CStr, c_char, c_void};

pub(crate) const NAME: &CStr = c"dltensor";
pub(crate) const USED: &CStr = c"used_dltensor";
pub(crate) const VERSIONED: &CStr = c"dltensor_versioned";
pub(crate) const VERSIONED_USED: &CStr = c"used_dltensor_versioned";
/// The kind of device of host memory.
pub(crate) const CPU: i32 = 1;

/// `DLPACK_FLAG_BITMASK_READ_ONLY`.
const READ_ONLY: u64 = 1;

#[repr(C)]
pub(crate) struct DlDevice {
    pub(crate) kind: i32,
    pub(crate) id: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DlType {
    pub(crate) code: u8,
    pub(crate) bits: u8,
    pub(crate) lanes: u16,
}

#[repr(C)]
pub(crate) struct DlTensor {
    pub(crate) data: *mut c_void,
    pub(crate) device: DlDevice,
    pub(crate) rank: i32,
    pub(crate) dtype: DlType,
    pub(crate) shape: *mut i64,
    /// In elements; null for row-major.
    pub(crate) strides: *mut i64,
    pub(crate) byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
pub(crate) struct Managed {
    pub(crate) tensor: DlTensor,
    pub(crate) context: *mut c_void,
    pub(crate) delete: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
pub(crate) struct ManagedVersioned {
    pub(crate) major: u32,
    pub(crate) minor: u32,
    pub(crate) context: *mut c_void,
    pub(crate) delete: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    pub(crate) flags: u64,
    pub(crate) tensor: DlTensor,
}

/// A tensor that another library handed over; given back when dropped.
pub(crate) enum Borrowed {
    Plain(*mut Managed),
    Versioned(*mut ManagedVersioned),
}
// SAFETY: DLPack lets a consumer delete a tensor on any thread.
unsafe impl Send for Borrowed {}
// SAFETY: it is only read while shared.
unsafe impl Sync for Borrowed {}

impl Borrowed {
    /// Takes the tensor out of what `__dlpack__` returned.
    pub(crate) fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = capsule.as_ptr();
        let taken = |name: &CStr, used: &CStr| {
            // SAFETY: the names live for ever; `raw` is a live object, and the functions check that it is a capsule.
            unsafe {
                if ffi::PyCapsule_IsValid(raw, name.as_ptr()) == 0 {
                    return None;
                }
                let found = ffi::PyCapsule_GetPointer(raw, name.as_ptr());
                ffi::PyCapsule_SetName(raw, used.as_ptr());
                Some(found)
            }
        };
        if let Some(found) = taken(VERSIONED, VERSIONED_USED) {
            return Ok(Self::Versioned(found.cast()));
        }
        match taken(NAME, USED) {
            Some(found) => Ok(Self::Plain(found.cast())),
            None => Err(PyTypeError::new_err("__dlpack__ returned no capsule of a tensor that nobody has taken")),
        }
    }

    pub(crate) fn tensor(&self) -> &DlTensor {
        // SAFETY: the tensor is ours until `delete` is called.
        unsafe {
            match self {
                Self::Plain(managed) => &(**managed).tensor,
                Self::Versioned(managed) => &(**managed).tensor,
            }
        }
    }

    /// Whether it may be written: tensors of the version that cannot say otherwise may.
    pub(crate) fn is_writable(&self) -> bool {
        // SAFETY: the tensor is ours until `delete` is called.
        !matches!(self, Self::Versioned(m) if unsafe { (**m).flags } & READ_ONLY != 0)
    }

    /// Whether we know the structure: DLPack changes it with the major version.
    pub(crate) fn is_known(&self) -> bool {
        // SAFETY: the version is the first field in all versions.
        matches!(self, Self::Plain(_)) || matches!(self, Self::Versioned(m) if unsafe { (**m).major } == 1)
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        // SAFETY: who takes a tensor calls its `delete` once.
        unsafe {
            match *self {
                Self::Plain(managed) => {
                    if let Some(delete) = (*managed).delete {
                        delete(managed);
                    }
                }
                Self::Versioned(managed) => {
                    if let Some(delete) = (*managed).delete {
                        delete(managed);
                    }
                }
            }
        }
    }
}

/// Our name of an element type; a complex number is two floats.
pub(crate) fn dtype(ty: DlType) -> Result<(DType, bool), Error> {
    let found = match (ty.code, ty.bits) {
        (0, 8) => DType::I8,
        (0, 16) => DType::I16,
        (0, 32) => DType::I32,
        (0, 64) => DType::I64,
        (1, 8) => DType::U8,
        (1, 16) => DType::U16,
        (1, 32) => DType::U32,
        (1, 64) => DType::U64,
        (2, 16) => DType::F16,
        (2, 32) => DType::F32,
        (2, 64) => DType::F64,
        (4, 16) => DType::Bf16,
        (5, 64) => return Ok((DType::F32, true)),
        (5, 128) => return Ok((DType::F64, true)),
        (6, 8) => DType::I1,
        (code, bits) => {
            return Err(Error::input(format!("programs have no elements of DLPack's type {code} with {bits} bits"))
                .hint("convert the tensor, or view it as unsigned integers of that size"));
        }
    };
    if ty.lanes == 1 { Ok((found, false)) } else { Err(Error::input("programs have no vectors as elements")) }
}

/// DLPack's name of an element type.
pub(crate) fn type_of(dtype: DType) -> DlType {
    let code = match dtype {
        DType::I1 => 6,
        DType::Bf16 => 4,
        DType::F16 | DType::F32 | DType::F64 => 2,
        unsigned if unsigned.is_unsigned() => 1,
        _ => 0,
    };
    DlType { code, bits: (dtype.size() * 8) as u8, lanes: 1 }
}

/// The name under which a capsule goes.
pub(crate) fn capsule_name(versioned: bool) -> *const c_char {
    if versioned { VERSIONED.as_ptr() } else { NAME.as_ptr() }
}
