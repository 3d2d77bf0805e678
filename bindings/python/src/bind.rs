//! Which argument of a call is which input of a function.
use crate::{
    array::{Given, read_argument},
    error::wrong_arguments,
};
use halyard_diag::{Error, either, nearest};
use halyard_runtime::{FunctionInfo, TensorSpec};
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};

/// Reads the arguments of a call: by position, then by name.
pub(crate) fn inputs(
    function: &FunctionInfo,
    args: &Bound<'_, PyTuple>,
    named: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Given>> {
    let py = args.py();
    let specs = &function.inputs;
    let refuse = |error: Error| Err(wrong_arguments(py, &error.code("wrong-input").note(takes(function))));
    if args.len() > specs.len() {
        let plural = if specs.len() == 1 { "" } else { "s" };
        let message = format!("function `{}` takes {} input{plural}, got {}", function.name, specs.len(), args.len());
        return refuse(Error::usage(message));
    }
    let mut list: Vec<Option<Bound<'_, PyAny>>> = args.iter().map(Some).collect();
    list.resize_with(specs.len(), || None);
    for (key, value) in named.into_iter().flatten() {
        let key: String = key.extract()?;
        let Some(index) = specs.iter().position(|s| s.name.as_deref() == Some(&key)) else {
            let near = nearest(&key, specs.iter().filter_map(|s| s.name.as_deref()));
            let error = Error::usage(format!("function `{}` has no input `{key}`", function.name));
            return refuse(if near.is_empty() {
                error
            } else {
                error.hint(format!("did you mean {}?", either(&near)))
            });
        };
        if list[index].replace(value).is_some() {
            return refuse(Error::usage(format!("input `{key}` of function `{}` is given twice", function.name)));
        }
    }
    let missing: Vec<_> =
        list.iter().enumerate().filter(|(_, v)| v.is_none()).map(|(i, _)| shown(&specs[i], i)).collect();
    if !missing.is_empty() {
        let what = if missing.len() == 1 { "input" } else { "inputs" };
        return refuse(Error::usage(format!("function `{}` lacks {what} {}", function.name, missing.join(", "))));
    }
    let what = |i: usize| format!("input {} of function `{}`", shown(&specs[i], i), function.name);
    list.iter().flatten().enumerate().map(|(i, object)| read_argument(object, &specs[i], &|| what(i))).collect()
}

fn shown(spec: &TensorSpec, index: usize) -> String {
    spec.name.as_ref().map_or_else(|| index.to_string(), |name| format!("`{name}`"))
}

/// The inputs with their types.
fn takes(function: &FunctionInfo) -> String {
    let inputs = function.inputs.iter().map(|s| match &s.name {
        Some(name) => format!("{name}: {}", s.type_text()),
        None => s.type_text(),
    });
    format!("it takes ({})", inputs.collect::<Vec<_>>().join(", "))
}
