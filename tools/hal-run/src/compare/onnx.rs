//! An ONNX model as the reference of a program: Python runs it with onnxruntime or, if that is missing, with the
//! reference evaluator of the package `onnx`.
use super::model::{Model, Side};
use crate::RunArgs;
use halyard_diag::{Error, Result, try_is_file};
use halyard_exec::{Scratch, Tool};
use halyard_runtime::{FunctionInfo, Tensor};
use halyard_tensors::{bytes_of, npy_bytes, read};
use serde::Deserialize;
use serde_json::json;
use std::{collections::HashMap, path::Path};

const SCRIPT: &str = include_str!("onnx_values.py");
/// The variable that names another interpreter than the `python3` on `PATH`, as for stages.
const VARIABLE: &str = "HALYARD_PYTHON";

/// The reply of the Python script.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Missing { missing: String, python: String },
    Failed { failed: String },
    Values { by: String, values: Vec<(String, String)> },
}

/// The tensors of the model that the program computes, by name.
pub(super) fn wanted(a: &Side<'_>, function: &FunctionInfo) -> Vec<String> {
    let of_dispatches = a.places().map(|p| a.binding(p).value.clone());
    let of_outputs = function.outputs.iter().filter_map(|o| o.name.clone());
    let mut names: Vec<String> = of_dispatches.chain(of_outputs).filter(|name| !name.is_empty()).collect();
    names.sort();
    names.dedup();
    names
}

/// Runs the model. Errors: no Python, missing packages, inputs that the model does not take, what runs it fails.
pub(super) fn run(
    args: &RunArgs,
    path: &Path,
    function: &FunctionInfo,
    inputs: &[Tensor],
    wanted: &[String],
) -> Result<Model> {
    if !try_is_file(path).map_err(|e| Error::io("read", path, &e))? {
        return Err(Error::environment(format!("there is no file `{}`", path.display())).code("missing-file"));
    }
    let scratch = Scratch::new("compare")?;
    let mut files = Vec::new();
    for (i, (spec, tensor)) in function.inputs.iter().zip(inputs).enumerate() {
        let Some(name) = &spec.name else {
            return Err(Error::usage(format!(
                "input {i} of `{}` has no name that a model could know it by",
                function.name
            ))
            .code("wrong-input")
            .hint("`--compare-with=MODEL.onnx` is for programs that `hal-import` made of ONNX models"));
        };
        if bytes_of(&function.inputs, i).is_some() || spec.element.is_some() {
            let shown = spec.type_text();
            return Err(Error::usage(format!("input `{name}` is `{shown}`, which cannot be handed to Python"))
                .code("unsupported-dtype")
                .hint("`--compare-with` takes another linked program, too"));
        }
        let file = scratch.write(&format!("input{i}.npy"), &npy_bytes(&tensor.clone().with_dtype(spec.dtype)))?;
        files.push(json!([name, file]));
    }
    let model = std::path::absolute(path).map_err(|e| Error::io("find", path, &e))?;
    let request = json!({"model": model, "inputs": files, "values": wanted, "folder": scratch.path()});
    let named = std::env::var(VARIABLE).ok().filter(|v| !v.is_empty());
    let install = format!("install Python 3, or set `{VARIABLE}` to an interpreter");
    let python = Tool::find(named.as_deref().unwrap_or("python3"), &install)?;
    let mut call = python.call(["-c", SCRIPT]).stdin(request.to_string());
    if let Some(limit) = args.load.timeout {
        call = call.limit(limit);
    }
    let finished = call.run()?;
    let answer = serde_json::from_slice(&finished.stdout)
        .map_err(|e| Error::tool(format!("what Python answered is not understood: {e}")).code("python-failed"))?;
    match answer {
        Answer::Missing { missing, python } => {
            Err(Error::environment(format!("the Python package `{missing}` is not installed, and it runs the model"))
                .code("missing-package")
                .hint(format!("`{python} -m pip install onnx onnxruntime` installs all that is needed"))
                .hint(format!("or set `{VARIABLE}` to an interpreter that has them")))
        }
        Answer::Failed { failed } => Err(Error::input(format!("the model cannot be run: {failed}"))
            .in_file(path.display().to_string())
            .code("bad-reference")),
        Answer::Values { by, values } => {
            let load = |(name, file): (String, String)| {
                let mut tensors = read(Path::new(&file), None)?;
                Ok((name, tensors.swap_remove(0).tensor))
            };
            let values = values.into_iter().map(load).collect::<Result<HashMap<_, _>>>()?;
            Ok(Model { name: path.display().to_string(), by, values })
        }
    }
}
