//! Tensors that programs return. numpy and DLPack see their memory without a copy.
use crate::{
    dlpack::CPU,
    error::{OrRaise, exception},
    export::capsule,
};
use halyard_diag::Error;
use halyard_runtime::DType;
use pyo3::{
    exceptions::PyBufferError,
    prelude::*,
    types::{PyDict, PyTuple},
};
use std::sync::Arc;

/// A dense tensor in host memory, aligned to 64 bytes, so that a program reads it without a copy.
#[pyclass(frozen, module = "halyard._native")]
pub(crate) struct Tensor {
    pub(crate) tensor: Arc<halyard_runtime::Tensor>,
    /// The type of its bytes, where the element type does not state it.
    element: Option<String>,
}

impl Tensor {
    pub(crate) fn new(tensor: halyard_runtime::Tensor, element: Option<String>) -> Self {
        Self { tensor: Arc::new(tensor), element }
    }
}

/// numpy's name of an element type; bf16 is its bits.
fn typestr(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::F16 => "<f2",
        DType::Bf16 | DType::U16 => "<u2",
        DType::I1 => "|b1",
        DType::I8 => "|i1",
        DType::U8 => "|u1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::U32 => "<u4",
        DType::I64 => "<i8",
        DType::U64 => "<u8",
    }
}

#[pymethods]
impl Tensor {
    #[getter]
    fn dtype(&self) -> &'static str {
        self.tensor.dtype().name()
    }

    #[getter]
    fn element(&self) -> Option<&str> {
        self.element.as_deref()
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor.shape())
    }

    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("version", 3)?;
        dict.set_item("shape", self.shape(py)?)?;
        dict.set_item("typestr", typestr(self.tensor.dtype()))?;
        dict.set_item("data", (self.tensor.bytes().as_ptr().addr(), false))?;
        Ok(dict)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        (CPU, 0)
    }

    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__(
        &self,
        py: Python<'_>,
        stream: Option<Py<PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Py<PyAny>> {
        if stream.is_some() || dl_device.is_some_and(|d| d != (CPU, 0)) {
            return Err(PyBufferError::new_err("the tensor is in host memory, which has no streams"));
        }
        let versioned = max_version.is_some_and(|(major, _)| major >= 1);
        if copy == Some(true) {
            return capsule(py, &Arc::new((*self.tensor).clone()), versioned);
        }
        capsule(py, &self.tensor, versioned)
    }

    fn __repr__(&self) -> String {
        format!("<halyard tensor {}>", self.tensor.type_text())
    }
}

/// A tensor of zeros.
#[pyfunction]
pub(crate) fn empty(py: Python<'_>, shape: Vec<usize>, dtype: &str) -> PyResult<Tensor> {
    let parsed: DType = dtype.parse().map_err(|()| {
        let names: Vec<_> = DType::ALL.iter().map(|d| d.name()).collect();
        let error = Error::usage(format!("`{dtype}` is no element type")).hint(format!("one of {}", names.join(", ")));
        exception(py, &error)
    })?;
    if halyard_runtime::Tensor::byte_count(parsed, &shape).is_none() {
        return Err(Error::usage(format!("a tensor of shape {shape:?} is too large"))).or_raise(py);
    }
    Ok(Tensor::new(halyard_runtime::Tensor::zeros(parsed, &shape), None))
}
