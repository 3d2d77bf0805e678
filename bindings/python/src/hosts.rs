//! Host functions that are functions of Python.
use crate::{
    array::read_argument,
    error::{OrRaise, exception},
    tensor::Tensor,
};
use halyard_diag::Error;
use halyard_runtime::{HostCall, Modules, Tensor as RuntimeTensor, TensorSpec};
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};
use std::cell::RefCell;

thread_local! {
    /// The exception of the host function that ended the call.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Adds functions: a dictionary from name to signature and function.
pub(crate) fn add(modules: &mut Modules, functions: &Bound<'_, PyDict>) -> PyResult<()> {
    let py = functions.py();
    for (name, pair) in functions {
        let name: String = name.extract()?;
        let (signature, function): (String, Py<PyAny>) = pair.extract().map_err(|_| {
            let error = Error::usage(format!("host function `{name}` is not a pair of a signature and a function"))
                .hint(format!("`{{\"{name}\": (\"(tensor<?xf32>) -> tensor<?xf32>\", function)}}`"));
            exception(py, &error)
        })?;
        modules.add(&name, &signature, move |call| run(&function, call)).or_raise(py)?;
    }
    Ok(())
}

fn run(function: &Py<PyAny>, host: &mut HostCall<'_>) -> Result<(), String> {
    Python::attach(|py| {
        call(py, function, host).map_err(|raised| {
            let text = raised.to_string();
            RAISED.set(Some(raised));
            text
        })
    })
}

fn call(py: Python<'_>, function: &Py<PyAny>, host: &mut HostCall<'_>) -> PyResult<()> {
    let mut arguments = Vec::new();
    for i in 0..host.input_count() {
        let input = host.input(i);
        let shape: Vec<usize> = input.shape.iter().map(|&d| d as usize).collect();
        // A copy: the function may keep it.
        let tensor = RuntimeTensor::from_bytes(input.dtype, &shape, input.bytes).or_raise(py)?;
        arguments.push(Tensor::new(tensor, None));
    }
    let convert = py.import("halyard._convert")?;
    let arrays = convert.getattr("arrays")?.call1((arguments,))?;
    let returned = function.call1(py, arrays.cast::<PyTuple>()?)?;
    let count = host.result_count();
    let list: Vec<Bound<'_, PyAny>> =
        convert.getattr("results")?.call1((returned, count))?.try_iter()?.collect::<PyResult<_>>()?;
    for (i, object) in list.iter().enumerate() {
        let dtype = host.result_dtype(i);
        let spec = TensorSpec { name: None, dtype, shape: Vec::new(), dim_names: Vec::new(), element: None };
        let result = read_argument(object, &spec, &|| format!("result {i}"))?;
        let view = result.view().or_raise(py)?;
        if !dtype.is_compatible(view.dtype()) {
            let message = format!("result {i} has elements of `{}`, the program expects `{dtype}`", view.dtype());
            return Err(Error::input(message).hint("convert it by `array.astype(…)`")).or_raise(py);
        }
        let shape: Vec<i64> = view.shape().iter().map(|&d| d as i64).collect();
        // A refusal becomes the error of the call, whatever is returned.
        if let Ok(to) = host.result(i, &shape) {
            to.copy_from_slice(view.bytes());
        }
    }
    Ok(())
}

/// The exception for a call that failed, caused by that of its host function if one raised.
pub(crate) fn with_cause<T>(py: Python<'_>, result: halyard_diag::Result<T>) -> PyResult<T> {
    result.map_err(|error| {
        let raised = exception(py, &error);
        if let Some(cause) = RAISED.take() {
            raised.set_cause(py, Some(cause));
        }
        raised
    })
}
