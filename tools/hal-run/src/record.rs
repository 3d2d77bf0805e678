//! `--record`: what the dispatches of a call read and wrote, as a safetensors archive.
//!
//! The metadata `halyard.dispatches` is a JSON list of the different dispatches, with kernel, constants and the bytes of
//! each binding; the tensor `I.before.B` is what binding `B` of dispatch `I` held before, `I.after.B` after it if it is written.
use crate::RunArgs;
use halyard_cli::{Printer, write_output};
use halyard_diag::{Error, Result};
use halyard_runtime::{FunctionInfo, Instance, InstanceOptions, LoadedProgram};
use halyard_tensors::{TensorArgument, bind, bind_states, set_states};
use safetensors::{Dtype, tensor::TensorView};
use serde_json::json;
use std::{collections::HashMap, path::Path};

/// Calls a function and writes the record. Errors: inputs that do not fit; a dynamic one of unknown size; a failed call.
pub(crate) fn record(
    args: &RunArgs,
    path: &Path,
    program: &LoadedProgram,
    function: &FunctionInfo,
    printer: &Printer,
) -> Result<()> {
    let given = bind("input", "--input", &args.inputs, function, &function.inputs)?;
    let mut inputs = Vec::new();
    for (i, tensor) in given.into_iter().enumerate() {
        inputs.push(match tensor {
            Some(tensor) => tensor,
            None => random(args, function, i)?,
        });
    }
    let states = bind_states(&args.state_in, program)?;
    let mut instance = Instance::new(program, InstanceOptions { threads: args.load.threads })?;
    set_states(&mut instance, &states)?;
    let mut captured = instance.capture(&function.name, &inputs)?;
    let mut list = Vec::new();
    let mut contents: Vec<(String, Vec<u8>)> = Vec::new();
    for (i, dispatch) in captured.iter_mut().enumerate() {
        let count = dispatch.binding_bytes.len();
        contents.extend((0..count).map(|b| (format!("{i}.before.{b}"), dispatch.binding(b).to_vec())));
        instance.run_dispatch(dispatch, 1)?;
        let written = (0..count).filter(|&b| dispatch.written[b]);
        contents.extend(written.map(|b| (format!("{i}.after.{b}"), dispatch.binding(b).to_vec())));
        let kernel = &program.kernels()[dispatch.kernel];
        list.push(json!({
            "executable": kernel.executable,
            "export": kernel.export,
            "key": kernel.identity.key,
            "origin": kernel.identity.origin,
            // The others are filled in again when what is made of this is loaded.
            "constants": dispatch.constants[..kernel.constants],
            "workgroups": dispatch.workgroups,
            "calls": dispatch.occurrences,
            "bindings": dispatch.binding_bytes,
            "written": dispatch.written,
        }));
    }
    let metadata = HashMap::from([("halyard.dispatches".to_owned(), serde_json::Value::from(list).to_string())]);
    let views: Vec<(&str, TensorView<'_>)> = contents
        .iter()
        .map(|(name, bytes)| Ok((name.as_str(), TensorView::new(Dtype::U8, vec![bytes.len()], bytes)?)))
        .collect::<Result<_, safetensors::SafeTensorError>>()
        .map_err(|e| Error::environment(format!("the record cannot be made: {e}")))?;
    let bytes = safetensors::serialize(views, Some(metadata))
        .map_err(|e| Error::environment(format!("the record cannot be made: {e}")))?;
    write_output(path, &bytes)?;
    printer.note(match captured.len() {
        1 => "recorded 1 dispatch".to_owned(),
        n => format!("recorded {n} different dispatches"),
    });
    Ok(())
}

/// Random numbers for an input that was not given, its number as the seed.
fn random(args: &RunArgs, function: &FunctionInfo, index: usize) -> Result<halyard_runtime::Tensor> {
    let spec = &function.inputs[index];
    let mut argument = TensorArgument::random(index, index as u64);
    if spec.shape.iter().any(Option::is_none) {
        let Some(size) = args.size else {
            return Err(Error::usage(format!(
                "input {index} of `{}` is `{}`: its size is not known",
                function.name,
                spec.type_text()
            ))
            .code("unknown-size")
            .hint("give it with `--input`, or say `--size=N` for all dynamic dimensions"));
        };
        let ty = spec.type_text().replace('?', &size.to_string());
        argument = format!("{index}={ty}=random:{index}").parse().map_err(Error::usage)?;
    }
    let mut tensors = bind("input", "--input", &[argument], function, &function.inputs)?;
    tensors.swap_remove(index).ok_or_else(|| Error::usage(format!("input {index} is missing")))
}
