//! Makes random values for inputs that were not given.
use crate::RunArgs;
use halyard_diag::{Error, Result};
use halyard_runtime::{FunctionInfo, Tensor};
use halyard_tensors::{TensorArgument, bind};

/// Returns all inputs of a function, and how many of them were not given and are random. Fails for inputs that do not
/// fit, and for dynamic inputs of unknown size.
pub(crate) fn given_or_random(args: &RunArgs, function: &FunctionInfo) -> Result<(Vec<Tensor>, usize)> {
    let given = bind("input", "--input", &args.inputs, function, &function.inputs)?;
    let missing = given.iter().filter(|t| t.is_none()).count();
    let all = given.into_iter().enumerate().map(|(i, t)| t.map_or_else(|| random(args, function, i), Ok));
    Ok((all.collect::<Result<_>>()?, missing))
}

/// Random numbers for an input that was not given, its number as the seed.
fn random(args: &RunArgs, function: &FunctionInfo, index: usize) -> Result<Tensor> {
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
