//! Functions as subjects.
use crate::{Args, measure::Subject};
use halyard_diag::Result;
use halyard_runtime::{FunctionInfo, Instance, Options, Program, Tensor};
use halyard_tensors::{Argument, bind};
use std::{path::Path, time::Instant};

/// A program, ready to run.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// As given on the command line.
    pub(crate) name: String,
    /// The function that is measured.
    pub(crate) function: FunctionInfo,
    /// The program with its memory and threads.
    pub(crate) instance: Instance,
}

/// Loads a program. Errors: what loading says, an unknown function.
pub(crate) fn load(path: &Path, args: &Args) -> Result<Loaded> {
    let program = Program::load(path)?;
    let function = program.function(args.function.as_deref())?.clone();
    let instance = Instance::new(&program, Options { threads: args.threads })?;
    Ok(Loaded { name: path.display().to_string(), function, instance })
}

/// The inputs of a function, and what they are in words. Those that were not given are random, each with its number as
/// the seed. Errors: inputs that do not fit, a missing one of dynamic shape.
pub(crate) fn inputs(args: &Args, function: &FunctionInfo) -> Result<(Vec<Tensor>, Vec<String>)> {
    let given = bind("input", "--input", &args.inputs, function, &function.inputs)?;
    let mut arguments = args.inputs.clone();
    let missing = given.iter().enumerate().filter(|(_, t)| t.is_none());
    arguments.extend(missing.map(|(i, _)| Argument::random(i, i as u64)));
    let words = arguments.iter().map(|a| a.text.clone()).collect();
    let random = bind("input", "--input", &arguments[args.inputs.len()..], function, &function.inputs)?;
    let tensors = given.into_iter().zip(random).filter_map(|(given, random)| given.or(random)).collect();
    Ok((tensors, words))
}

/// Calls of the function, into the same outputs again and again.
pub(crate) fn subject<'a>(instance: &'a mut Instance, function: &'a str, inputs: &'a [Tensor]) -> Subject<'a> {
    let mut outputs = Vec::new();
    Box::new(move |iterations| {
        let start = Instant::now();
        for _ in 0..iterations {
            instance.call_into(function, inputs, &mut outputs)?;
        }
        Ok(start.elapsed())
    })
}
