//! Measures functions.
use crate::{BenchmarkArgs, measure::Subject, sizes::shapes};
use halyard_diag::{Error, Result};
use halyard_programs::Loader;
use halyard_runtime::{FunctionInfo, Instance, InstanceOptions, LoadedProgram, Tensor, shape_text};
use halyard_tensors::{TensorArgument, bind, bind_states, set_states};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// A program, ready to run.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The name as given on the command line.
    pub(crate) name: String,
    /// The function that is measured.
    pub(crate) function: FunctionInfo,
    /// The program with its memory and threads.
    pub(crate) instance: Instance,
    /// The initial values of its states, where they are given.
    states: Vec<Option<Tensor>>,
}

impl Loaded {
    /// Resets states to their initial values, before each call that is measured.
    pub(crate) fn start_over(&mut self) -> Result<()> {
        start_over(&mut self.instance, &self.states)
    }

    /// Calls of the function, into the same outputs again and again.
    pub(crate) fn subject<'a>(&'a mut self, inputs: &'a [Tensor]) -> Subject<'a> {
        let Self { instance, function, states, .. } = self;
        let has_states = instance.program().states().len() > 0;
        let mut outputs = Vec::new();
        Box::new(move |iterations| {
            if has_states {
                // The time for setting states is not measured.
                let mut took = Duration::ZERO;
                for _ in 0..iterations {
                    start_over(instance, states)?;
                    let start = Instant::now();
                    instance.call_into(&function.name, inputs, &mut outputs)?;
                    took += start.elapsed();
                }
                return Ok(took);
            }
            let start = Instant::now();
            for _ in 0..iterations {
                instance.call_into(&function.name, inputs, &mut outputs)?;
            }
            Ok(start.elapsed())
        })
    }
}

fn start_over(instance: &mut Instance, states: &[Option<Tensor>]) -> Result<()> {
    instance.reset_states()?;
    set_states(instance, states)
}

/// The suffix of functions that return the expected results of another one; `hal-extract --as=benchmark` generates
/// them.
const EXPECTED: &str = ".expected";

/// The functions to measure: the one that was asked for, the only one, `main`, or all that know what they must return.
/// Errors: there is no such function.
pub(crate) fn choose(program: &LoadedProgram, args: &BenchmarkArgs) -> Result<Vec<String>> {
    let known = |name: &str| program.functions().iter().any(|f| f.name == name);
    if args.function.is_none() && program.functions().len() > 1 && !known("main") {
        let names = program.functions().iter().filter(|f| f.inputs.is_empty()).map(|f| f.name.clone());
        let checked: Vec<String> = names.filter(|n| known(&format!("{n}{EXPECTED}"))).collect();
        if !checked.is_empty() {
            return Ok(checked);
        }
    }
    Ok(vec![program.function(args.function.as_deref())?.name.clone()])
}

/// The function that says what another one must return.
pub(crate) fn expected(loaded: &Loaded) -> Option<String> {
    let name = format!("{}{EXPECTED}", loaded.function.name);
    let found = loaded.instance.program().functions().iter().find(|f| f.name == name)?;
    (found.inputs.is_empty() && loaded.function.inputs.is_empty()).then_some(name)
}

/// Loads a program to measure a function. Errors: what loading says, an unknown function.
pub(crate) fn load(path: &Path, function: &str, args: &BenchmarkArgs, loader: &Loader) -> Result<Loaded> {
    let program = loader.load(path)?;
    let function = program.function(Some(function))?.clone();
    let instance = Instance::new(&program, InstanceOptions { threads: args.load.threads })?;
    let states = bind_states(&args.state_in, &program)?;
    Ok(Loaded { name: path.display().to_string(), function, instance, states })
}

/// The inputs of a function, and what they are in words. Those that were not given are random, each with its number as
/// the seed. Errors: inputs that do not fit, a missing one of a size that nothing says.
pub(crate) fn inputs(args: &BenchmarkArgs, function: &FunctionInfo) -> Result<(Vec<Tensor>, Vec<String>)> {
    let given = bind("input", "--input", &args.inputs, function, &function.inputs)?;
    let shapes = shapes(&args.dim, function, &given)?;
    let mut arguments = args.inputs.clone();
    for (i, shape) in shapes.into_iter().enumerate().filter_map(|(i, shape)| Some((i, shape?))) {
        let spec = &function.inputs[i];
        // The type is given only where the program leaves it open.
        arguments.push(match spec.shape.contains(&None) {
            false => TensorArgument::random(i, i as u64),
            true => format!("{i}={}=random:{i}", shape_text(&shape, spec.dtype)).parse().map_err(Error::usage)?,
        });
    }
    let words = arguments.iter().map(|a| a.text.clone()).collect();
    let random = bind("input", "--input", &arguments[args.inputs.len()..], function, &function.inputs)?;
    let tensors = given.into_iter().zip(random).filter_map(|(given, random)| given.or(random)).collect();
    Ok((tensors, words))
}
