//! Calls of functions.
use crate::{array::Given, tensor::Tensor};
use halyard_diag::Result;
use halyard_runtime::{DispatchRecord, FunctionInfo, Instance, Tensor as RuntimeTensor};

/// Calls a function of an instance.
pub(crate) fn call(instance: &mut Instance, function: &str, inputs: &[Given]) -> Result<Vec<RuntimeTensor>> {
    let views = inputs.iter().map(Given::view).collect::<Result<Vec<_>>>()?;
    instance.call_on(function, &views)
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
