//! The inputs of the function that is run.
use crate::ReportArgs;
use halyard_diag::{Error, Result};
use halyard_runtime::{FunctionInfo, Tensor};
use halyard_tensors::{TensorArgument, bind};

/// The given inputs, and random ones for the others, each with its number as the seed; with the words for all of them. Errors:
/// inputs that do not fit, a missing one of unknown size.
pub(crate) fn inputs(args: &ReportArgs, function: &FunctionInfo) -> Result<(Vec<Tensor>, Vec<String>)> {
    let given = bind("input", "--input", &args.inputs, function, &function.inputs)?;
    let mut tensors = Vec::new();
    let mut words: Vec<String> = args.inputs.iter().map(|a| a.text.clone()).collect();
    for (i, tensor) in given.into_iter().enumerate() {
        if let Some(tensor) = tensor {
            tensors.push(tensor);
            continue;
        }
        let spec = &function.inputs[i];
        let mut text = format!("{i}=random:{i}");
        let mut argument = TensorArgument::random(i, i as u64);
        if spec.shape.contains(&None) {
            let Some(size) = args.size else {
                let what = format!("input {i} of `{}` is `{}`: its size is not known", function.name, spec.type_text());
                return Err(Error::usage(what).code("unknown-size").hint(
                    "give it with `--input`, or say `--size=N` for all dynamic dimensions; `--no-run` needs no inputs",
                ));
            };
            text = format!("{i}={}=random:{i}", spec.type_text().replace('?', &size.to_string()));
            argument = text.parse().map_err(Error::usage)?;
        }
        let mut random = bind("input", "--input", &[argument], function, &function.inputs)?;
        tensors.extend(random.swap_remove(i));
        words.push(text);
    }
    Ok((tensors, words))
}
