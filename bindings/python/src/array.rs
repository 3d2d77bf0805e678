//! Tensors that Python passes: our own, numpy's arrays, what speaks DLPack, and numbers and lists.
use crate::{
    copy::{copied, dense, is_dense},
    dlpack::{self, Borrowed, CPU},
    error::exception,
    tensor::Tensor,
};
use halyard_diag::Error;
use halyard_runtime::{DType, Tensor as RuntimeTensor, TensorSpec, TensorView};
use pyo3::{
    exceptions::PyTypeError,
    intern,
    prelude::*,
    types::{PyDict, PyTuple},
};

/// A tensor that kernels can read, until it is dropped.
pub(crate) enum Given {
    /// In memory of somebody else.
    Shared { dtype: DType, shape: Vec<usize>, data: *const u8, bytes: usize, _owner: Owner },
    /// A copy.
    Copied(RuntimeTensor),
}
// SAFETY: the memory is only read, and the owner keeps it; objects of Python are dropped with the interpreter attached.
unsafe impl Send for Given {}
// SAFETY: as above.
unsafe impl Sync for Given {}

/// What keeps memory alive.
#[expect(dead_code, reason = "they are kept, not read")]
pub(crate) enum Owner {
    Object(Py<PyAny>),
    DlPack(Borrowed),
}

/// Memory as others describe it.
pub(crate) struct Described {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    /// In bytes; `None` if dense.
    pub(crate) strides: Option<Vec<isize>>,
    pub(crate) data: *const u8,
    /// Whether others may write it.
    pub(crate) writable: bool,
    pub(crate) owner: Owner,
}

impl Given {
    /// A view for a call.
    pub(crate) fn view(&self) -> halyard_diag::Result<TensorView<'_>> {
        match self {
            Self::Copied(tensor) => TensorView::new(tensor.dtype(), tensor.shape(), tensor.bytes()),
            Self::Shared { dtype, shape, data, bytes, .. } => {
                // SAFETY: the owner keeps these bytes; that nobody writes them during a call is what the documentation asks for.
                let seen = if *bytes == 0 { &[] } else { unsafe { std::slice::from_raw_parts(*data, *bytes) } };
                TensorView::new(*dtype, shape, seen)
            }
        }
    }

    fn of(described: Described) -> Option<Self> {
        let Described { dtype, shape, strides, data, owner, .. } = described;
        let bytes = RuntimeTensor::byte_count(dtype, &shape)?;
        let strides = strides.unwrap_or_else(|| dense(&shape, dtype.size()));
        if (is_dense(&shape, &strides, dtype.size()) && TensorView::is_aligned(data)) || bytes == 0 {
            return Some(Self::Shared { dtype, shape, data, bytes, _owner: owner });
        }
        // SAFETY: the owner promises that its elements are there.
        Some(Self::Copied(unsafe { copied(dtype, &shape, &strides, data) }))
    }
}

/// Reads an argument for a tensor of a program. `what` names it in messages.
pub(crate) fn read_argument(
    object: &Bound<'_, PyAny>,
    spec: &TensorSpec,
    what: &dyn Fn() -> String,
) -> PyResult<Given> {
    let py = object.py();
    if let Ok(own) = object.cast::<Tensor>() {
        let tensor = &own.get().tensor;
        let (dtype, shape) = (tensor.dtype(), tensor.shape().to_vec());
        let (data, bytes) = (tensor.bytes().as_ptr(), tensor.bytes().len());
        return Ok(Given::Shared { dtype, shape, data, bytes, _owner: Owner::Object(object.clone().unbind()) });
    }
    let wrong = named(py, what, "wrong-input");
    Given::of(described(object, spec, what, &wrong)?).ok_or_else(|| wrong(Error::input("it is too large")))
}

/// Makes exceptions that say which tensor is wrong.
pub(crate) fn named<'p>(
    py: Python<'p>,
    what: &'p dyn Fn() -> String,
    code: &'static str,
) -> impl Fn(Error) -> PyErr + use<'p> {
    move |mut error: Error| {
        for d in &mut error.diagnostics {
            d.message = format!("{}: {}", what(), d.message);
            d.code = d.code.or(Some(code));
        }
        exception(py, &error)
    }
}

/// The memory of an object for a tensor of a program.
pub(crate) fn described(
    object: &Bound<'_, PyAny>,
    spec: &TensorSpec,
    what: &dyn Fn() -> String,
    wrong: &dyn Fn(Error) -> PyErr,
) -> PyResult<Described> {
    let py = object.py();
    let mut described = if let Ok(interface) = object.getattr(intern!(py, "__array_interface__")) {
        of_numpy(object, &interface, spec, wrong)?
    } else if object.hasattr(intern!(py, "__dlpack__"))? {
        of_dlpack(object, wrong)?
    } else {
        // Numbers and lists, and what only numpy can read.
        let convert = py.import("halyard._convert")?.getattr("plain")?;
        let array = convert.call1((object, spec.dtype.name(), what()))?;
        let interface = array.getattr("__array_interface__")?;
        of_numpy(&array, &interface, spec, wrong)?
    };
    if spec.dtype == DType::Bf16 && described.dtype == DType::U16 {
        described.dtype = DType::Bf16;
    }
    Ok(described)
}

fn of_numpy(
    object: &Bound<'_, PyAny>,
    interface: &Bound<'_, PyAny>,
    spec: &TensorSpec,
    wrong: &dyn Fn(Error) -> PyErr,
) -> PyResult<Described> {
    let py = object.py();
    let interface = interface.cast::<PyDict>()?;
    let get = |key| interface.get_item(key)?.ok_or_else(|| PyTypeError::new_err("an array describes itself in part"));
    let typestr: String = get(intern!(py, "typestr"))?.extract()?;
    let mut shape: Vec<usize> = get(intern!(py, "shape"))?.extract()?;
    let (data, read_only): (usize, bool) = get(intern!(py, "data"))?.cast::<PyTuple>()?.extract()?;
    let strides = interface.get_item(intern!(py, "strides"))?.filter(|s| !s.is_none());
    let mut strides: Option<Vec<isize>> = strides.map(|s| s.extract()).transpose()?;
    let (dtype, complex) = match numpy_type(&typestr) {
        Some(found) => found,
        None => (other_type(object, &typestr, spec, wrong)?, false),
    };
    if complex {
        shape.push(2);
        strides.iter_mut().for_each(|s| s.push(dtype.size() as isize));
    }
    let owner = Owner::Object(object.clone().unbind());
    Ok(Described { dtype, shape, strides, data: data as *const u8, writable: !read_only, owner })
}

/// Our name of a type of numpy. A complex number is two floats.
fn numpy_type(typestr: &str) -> Option<(DType, bool)> {
    Some(match typestr {
        "<f4" => (DType::F32, false),
        "<f8" => (DType::F64, false),
        "<f2" => (DType::F16, false),
        "|b1" => (DType::I1, false),
        "|i1" => (DType::I8, false),
        "|u1" => (DType::U8, false),
        "<i2" => (DType::I16, false),
        "<u2" => (DType::U16, false),
        "<i4" => (DType::I32, false),
        "<u4" => (DType::U32, false),
        "<i8" => (DType::I64, false),
        "<u8" => (DType::U64, false),
        "<c8" => (DType::F32, true),
        "<c16" => (DType::F64, true),
        _ => return None,
    })
}

/// The type of an array of `ml_dtypes`, which numpy knows by size only.
fn other_type(
    object: &Bound<'_, PyAny>,
    typestr: &str,
    spec: &TensorSpec,
    wrong: &dyn Fn(Error) -> PyErr,
) -> PyResult<DType> {
    let name: String = object.getattr("dtype").and_then(|d| d.getattr("name")?.extract()).unwrap_or_default();
    if name == "bfloat16" {
        return Ok(DType::Bf16);
    }
    let element = name.replace("float", "f").replace('_', "");
    match &spec.element {
        Some(wanted) if spec.dtype.size() == 1 && wanted.to_lowercase() == element && name.starts_with("float") => {
            return Ok(spec.dtype);
        }
        _ => {}
    }
    let shown = if name.is_empty() { typestr } else { &name };
    let error = Error::input(format!("expected `{}`, got an array of `{shown}`", spec.type_text()));
    let hint = match typestr.as_bytes() {
        [b'>', ..] => "`array.astype(array.dtype.newbyteorder(\"=\"))` has the bytes of this machine",
        _ => "convert it by `array.astype(…)`",
    };
    Err(wrong(error.code("wrong-input").hint(hint)))
}

fn of_dlpack(object: &Bound<'_, PyAny>, wrong: &dyn Fn(Error) -> PyErr) -> PyResult<Described> {
    let py = object.py();
    let (device, _): (i32, i32) = object.call_method0(intern!(py, "__dlpack_device__"))?.extract()?;
    if device != CPU {
        return Err(wrong(
            Error::usage("the tensor is in memory of a device")
                .hint("copy it to the host before the call, as by `tensor.cpu()`"),
        ));
    }
    let options = PyDict::new(py);
    options.set_item("max_version", (1, 0))?;
    let capsule = match object.call_method(intern!(py, "__dlpack__"), (), Some(&options)) {
        // A library that does not know versions.
        Err(why) if why.is_instance_of::<PyTypeError>(py) => object.call_method0(intern!(py, "__dlpack__"))?,
        made => made?,
    };
    let borrowed = Borrowed::take(&capsule)?;
    if !borrowed.is_known() {
        return Err(wrong(Error::input("it comes in a version of DLPack that this halyard does not know")));
    }
    let tensor = borrowed.tensor();
    if tensor.device.kind != CPU {
        return Err(wrong(Error::usage("the tensor is in memory of a device")));
    }
    let (dtype, complex) = dlpack::dtype(tensor.dtype).map_err(wrong)?;
    let rank = tensor.rank as usize;
    // SAFETY: a tensor of DLPack has as many sizes and strides as its rank says, or no strides.
    let list = |at: *mut i64| if rank == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, rank) } };
    let mut shape: Vec<usize> = list(tensor.shape).iter().map(|&d| d as usize).collect();
    let size = dtype.size() as isize * if complex { 2 } else { 1 };
    let mut strides: Option<Vec<isize>> =
        (!tensor.strides.is_null()).then(|| list(tensor.strides).iter().map(|&s| s as isize * size).collect());
    if complex {
        shape.push(2);
        strides.iter_mut().for_each(|s| s.push(dtype.size() as isize));
    }
    let data = (tensor.data as *const u8).wrapping_add(tensor.byte_offset as usize);
    let writable = borrowed.is_writable();
    Ok(Described { dtype, shape, strides, data, writable, owner: Owner::DlPack(borrowed) })
}
