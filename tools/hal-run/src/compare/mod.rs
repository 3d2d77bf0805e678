//! `--compare-with`: finds the first dispatch whose results differ between a program and another one, or an ONNX
//! model.
//!
//! Both sides run on the same inputs. A program records the inputs and results of each dispatch
//! ([`halyard_runtime::CallTrace`]); a model gives the values of its tensors ([`onnx`]). [`pairs`] finds corresponding
//! results, [`judge`] compares them in the order of execution, [`inputs`] determines whether the first dispatch that
//! differs is the cause, [`report`] describes it, and [`evidence`] stores its inputs and results.
mod evidence;
mod inputs;
mod judge;
mod model;
mod onnx;
mod pairs;
mod report;

use crate::{RunArgs, inputs::given_or_random};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_programs::Loader;
use halyard_runtime::{CallTrace, FunctionInfo, Instance, InstanceOptions, LoadedProgram, Tensor, TensorSpec};
use halyard_tensors::{Difference, Tolerance, bind_states, compare_by_scale, set_states};
use model::Side;
use std::path::Path;

/// Compares the program with `other`. Errors: what does not fit; calls that fail; a difference.
pub(crate) fn compare(
    args: &RunArgs,
    other: &Path,
    loader: &Loader<'_>,
    program: &LoadedProgram,
    function: &FunctionInfo,
    printer: &Printer,
) -> Result<()> {
    let (inputs, made_up) = given_or_random(args, function)?;
    if made_up > 0 {
        printer.note(if made_up == 1 { "1 input is random".into() } else { format!("{made_up} inputs are random") });
    }
    let name = |path: &Path| path.display().to_string();
    let mut a = Runner::new(args, program, &name(&args.program))?;
    if is_model(other) {
        if args.compare_device.is_some() {
            return Err(Error::usage("`--compare-device` has no effect: a model is run by onnxruntime"));
        }
        if args.calls > 1 || !args.state_in.is_empty() {
            return Err(Error::usage("`--calls` and `--state-in` compare programs: a model has no state"));
        }
        let (outputs, trace) = a.call(args, function, &inputs)?;
        let side = Side { name: name(&args.program), program, trace: &trace, inputs: &inputs };
        let wanted = onnx::wanted(&side, function);
        let model = onnx::run(args, other, function, &inputs, &wanted)?;
        printer.note(format!("`{}` was run by {}", name(other), model.by));
        let findings = judge::model(args, &side, &model)?;
        let outputs = judge::outputs(args, function, &outputs, |i| model.output(function, i));
        return report::conclude(args, &mut a.instance, &side, &model, &findings, &outputs, printer);
    }
    let device = args.compare_device.unwrap_or(args.load.device.device);
    let second = loader.load_on(other, device)?;
    loader.fallen_back(&second).into_iter().for_each(|text| printer.note(text));
    let of_second = same_signature(args, (&name(&args.program), function), (&name(other), &second))?;
    let mut b = Runner::new(args, &second, &second_name(args, other))?;
    for call in 0..args.calls {
        let (outputs, trace) = a.call(args, function, &inputs)?;
        let (expected, of_other) = b.call(args, &of_second, &inputs)?;
        let side = Side { name: a.name.clone(), program, trace: &trace, inputs: &inputs };
        let other = Side { name: b.name.clone(), program: &second, trace: &of_other, inputs: &inputs };
        let findings = judge::programs(args, &side, &other)?;
        let outputs = judge::outputs(args, function, &outputs, |i| Some(expected[i].clone()));
        let more = call + 1 < args.calls && findings.differing() == 0 && outputs.is_empty();
        if more {
            continue;
        }
        let number = (args.calls > 1).then_some(call);
        report::conclude(args, &mut a.instance, &side, &other, &findings.in_call(number), &outputs, printer)?;
    }
    Ok(())
}

/// Returns the name of the other side if both sides are one file.
fn second_name(args: &RunArgs, other: &Path) -> String {
    match args.compare_device {
        Some(device) if other == args.program => format!("{} on {device}", other.display()),
        _ => other.display().to_string(),
    }
}

/// Whether a file is an ONNX model by its name.
fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "onnx")
}

/// A program that runs, with its name.
struct Runner {
    instance: Instance,
    name: String,
}

impl Runner {
    fn new(args: &RunArgs, program: &LoadedProgram, name: &str) -> Result<Self> {
        let states = bind_states(&args.state_in, program)?;
        let mut instance = Instance::new(program, InstanceOptions { threads: args.load.threads })?;
        set_states(&mut instance, &states)?;
        Ok(Self { instance, name: name.to_owned() })
    }

    fn call(&mut self, args: &RunArgs, function: &FunctionInfo, inputs: &[Tensor]) -> Result<(Vec<Tensor>, CallTrace)> {
        let called = self.instance.trace(&function.name, inputs, args.record_limit);
        called.map_err(|e| e.note(format!("`{}` failed, and nothing was compared", self.name)))
    }
}

/// The function of the other program that is called with the same inputs. Errors: it has none that takes and returns the same.
fn same_signature(
    args: &RunArgs,
    (a, function): (&str, &FunctionInfo),
    (b, second): (&str, &LoadedProgram),
) -> Result<FunctionInfo> {
    let other = second.function(args.function.as_deref().or(Some(&function.name)));
    let other = other.or_else(|e| if args.function.is_none() { second.function(None) } else { Err(e) })?;
    // Sizes may be fixed in one and not in the other.
    let size = |(m, n): (&Option<usize>, &Option<usize>)| m.is_none() || n.is_none() || m == n;
    let fits = |x: &TensorSpec, y: &TensorSpec| {
        let shapes = x.shape.len() == y.shape.len() && x.shape.iter().zip(&y.shape).all(size);
        shapes && x.dtype.is_compatible(y.dtype) && x.element == y.element
    };
    let all = |x: &[TensorSpec], y: &[TensorSpec]| x.len() == y.len() && x.iter().zip(y).all(|(x, y)| fits(x, y));
    if all(&function.inputs, &other.inputs) && all(&function.outputs, &other.outputs) {
        return Ok(other.clone());
    }
    let types = |list: &[TensorSpec]| list.iter().map(TensorSpec::type_text).collect::<Vec<_>>().join(", ");
    let says = |name: &str, f: &FunctionInfo| {
        format!("`{}` of `{name}` is ({}) -> ({})", f.name, types(&f.inputs), types(&f.outputs))
    };
    Err(Error::input("the programs cannot be compared: they take or return different tensors")
        .code("wrong-type")
        .note(says(a, function))
        .note(says(b, other))
        .hint("are both made of one model? `--function` names the function to compare"))
}

/// Returns the difference between tensors of both sides, if there is one. Compares like `--expect`, except that the
/// scale of rounding errors is the typical element of the tensor, as in `--verify`, since errors remain where terms
/// cancel.
fn differs(args: &RunArgs, got: &Tensor, wanted: &Tensor) -> Option<Difference> {
    compare_by_scale(got, wanted, tolerance(args, got.dtype()))
}

/// The tolerance for elements of a type.
fn tolerance(args: &RunArgs, dtype: halyard_runtime::DType) -> Tolerance {
    let default = Tolerance::default_of(dtype);
    Tolerance { rtol: args.rtol.unwrap_or(default.rtol), atol: args.atol.unwrap_or(default.atol) }
}
