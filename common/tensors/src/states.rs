//! States of programs on command lines: tensors with names, like the inputs and outputs of functions.
use crate::{TensorArgument, bind};
use halyard_diag::Result;
use halyard_runtime::{FunctionInfo, Instance, LoadedProgram, Tensor};

/// Parses the value of `--state-in=`: like a [`TensorArgument`], but a file needs no `@`. Fails if it is not a tensor.
pub fn state_argument(text: &str) -> std::result::Result<TensorArgument, String> {
    if text.contains(['=', '@']) { text.parse() } else { format!("@{text}").parse() }
}

/// The tensors that were given for states of a program, each for the state of its number. Errors: unreadable files, unknown
/// names, tensors that do not fit.
pub fn bind_states(given: &[TensorArgument], program: &LoadedProgram) -> Result<Vec<Option<Tensor>>> {
    let states = states(program);
    bind("state", "--state-in", given, &states, &states.outputs)
}

/// The states of a program in the form of a function without inputs that returns them.
pub fn states(program: &LoadedProgram) -> FunctionInfo {
    FunctionInfo { name: "the program".into(), inputs: Vec::new(), outputs: program.states().cloned().collect() }
}

/// Sets states to the given tensors. Fails if there is no memory.
pub fn set_states(instance: &mut Instance, given: &[Option<Tensor>]) -> Result<()> {
    let names: Vec<String> = instance.program().states().map(|s| s.name.clone().unwrap_or_default()).collect();
    names
        .iter()
        .zip(given)
        .filter_map(|(name, tensor)| Some((name, tensor.as_ref()?)))
        .try_for_each(|(name, tensor)| instance.set_state(name, tensor))
}
