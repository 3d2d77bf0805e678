//! Calls of functions.
use crate::{
    array::Given,
    out::{self, OutArray},
    tensor::Tensor,
};
use halyard_diag::Result;
use halyard_runtime::{DispatchRecord, FunctionInfo, Instance, Tensor as RuntimeTensor};

/// Calls a function of an instance.
pub(crate) fn call(instance: &mut Instance, function: &str, inputs: &[Given]) -> Result<Vec<RuntimeTensor>> {
    let views = inputs.iter().map(Given::view).collect::<Result<Vec<_>>>()?;
    instance.call_on(function, &views)
}

/// Calls a function of an instance; results with an array go there, the others are tensors.
pub(crate) fn call_into(
    instance: &mut Instance,
    function: &FunctionInfo,
    inputs: &[Given],
    arrays: &[Option<OutArray>],
) -> Result<Vec<RuntimeTensor>> {
    let views = inputs.iter().map(Given::view).collect::<Result<Vec<_>>>()?;
    let mut outputs = Vec::new();
    // SAFETY: the arrays live as long as the call; that nobody else uses them meanwhile is what the documentation asks for.
    let shapes = unsafe { instance.call_into_memory(&function.name, &views, &out::memory(arrays), &mut outputs) }?;
    out::check(function, arrays, &shapes)?;
    Ok(outputs)
}

/// The results of a call for Python that have no array.
pub(crate) fn results_without_array(
    function: &FunctionInfo,
    outputs: Vec<RuntimeTensor>,
    arrays: &[Option<OutArray>],
) -> Vec<Option<Tensor>> {
    results(function, outputs)
        .into_iter()
        .zip(arrays)
        .map(|(tensor, array)| array.is_none().then_some(tensor))
        .collect()
}

/// Calls a function of an instance and times its dispatches.
pub(crate) fn profile(
    instance: &mut Instance,
    function: &str,
    inputs: &[Given],
) -> Result<(Vec<RuntimeTensor>, Vec<DispatchRecord>)> {
    let copies = inputs.iter().map(|input| {
        let view = input.view()?;
        RuntimeTensor::from_bytes(view.dtype(), view.shape(), view.bytes())
    });
    instance.profile(function, &copies.collect::<Result<Vec<_>>>()?)
}

/// The results of a call for Python.
pub(crate) fn results(function: &FunctionInfo, outputs: Vec<RuntimeTensor>) -> Vec<Tensor> {
    let elements = function.outputs.iter().map(|s| s.element.clone());
    outputs.into_iter().zip(elements).map(|(tensor, element)| Tensor::new(tensor, element)).collect()
}
