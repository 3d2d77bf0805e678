//! Arrays of the caller that a call writes its results to.
use crate::{
    array::{Described, Owner, described, named},
    copy::{dense, is_dense},
};
use halyard_diag::{Error, Result};
use halyard_runtime::{FunctionInfo, OutputMemory, Tensor as RuntimeTensor, shape_text};
use pyo3::prelude::*;

/// An array for a result, until the call ends.
pub(crate) struct OutArray {
    memory: OutputMemory,
    shape: Vec<usize>,
    _owner: Owner,
}
// SAFETY: only the call writes the memory, and the owner keeps it; objects of Python are dropped with the interpreter attached.
unsafe impl Send for OutArray {}
// SAFETY: as above.
unsafe impl Sync for OutArray {}

/// Reads the arrays for the results of a function, `None` where there is none. Errors: an array that the result does not fit.
pub(crate) fn arrays(function: &FunctionInfo, given: &[Option<Bound<'_, PyAny>>]) -> PyResult<Vec<Option<OutArray>>> {
    let read = |(i, object): (usize, &Option<Bound<'_, PyAny>>)| {
        let (Some(object), Some(spec)) = (object, function.outputs.get(i)) else { return Ok(None) };
        let what = || format!("output {i} of function `{}`", function.name);
        let wrong = named(object.py(), &what, "wrong-output");
        let Described { dtype, shape, strides, data, writable, owner } = described(object, spec, &what, &wrong)?;
        let refuse = |error: Error| Err(wrong(error));
        if !spec.accepts(dtype, &shape) {
            let (wanted, got) = (spec.type_text(), shape_text(&shape, dtype));
            return refuse(Error::usage(format!("its array must be `{wanted}`, and is `{got}`")));
        }
        if !writable {
            return refuse(Error::usage("its array cannot be written"));
        }
        let strides = strides.unwrap_or_else(|| dense(&shape, dtype.size()));
        if !is_dense(&shape, &strides, dtype.size()) {
            return refuse(
                Error::usage("the elements of its array are not in row-major order, one after the other")
                    .hint("pass an array that is C-contiguous"),
            );
        }
        let bytes = RuntimeTensor::byte_count(dtype, &shape).unwrap_or(0);
        let memory = OutputMemory { dtype, data: data.cast_mut(), bytes };
        Ok(Some(OutArray { memory, shape, _owner: owner }))
    };
    given.iter().enumerate().map(read).collect()
}

/// The memory of arrays.
pub(crate) fn memory(arrays: &[Option<OutArray>]) -> Vec<Option<OutputMemory>> {
    arrays.iter().map(|array| array.as_ref().map(|array| array.memory)).collect()
}

/// Checks that results of sizes that were not known before have the shapes of their arrays.
pub(crate) fn check(function: &FunctionInfo, arrays: &[Option<OutArray>], shapes: &[Vec<usize>]) -> Result<()> {
    for (i, (array, shape)) in arrays.iter().zip(shapes).enumerate() {
        if let Some(array) = array.as_ref().filter(|array| array.shape != *shape) {
            let dtype = array.memory.dtype;
            let (got, given) = (shape_text(shape, dtype), shape_text(&array.shape, dtype));
            let message =
                format!("output {i} of function `{}` came out as `{got}`, its array is `{given}`", function.name);
            return Err(Error::usage(message).code("wrong-output"));
        }
    }
    Ok(())
}
