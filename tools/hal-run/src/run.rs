//! Runs the tool, step by step.
use crate::{RunArgs, check, compare, expect, list, record, trace};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_programs::{Loader, listed, monitored};
use halyard_runtime::{FunctionInfo, Instance, InstanceOptions, Tensor};
use halyard_tensors::{
    Destination, bind, bind_states, bytes_of, describe, print, print_strings, set_states, states, texts, write,
};

/// Runs the tool. Errors: a program that cannot be loaded, an unknown function, inputs that do not fit, outputs that
/// differ from what is expected.
pub fn run(args: RunArgs, printer: &Printer) -> Result<()> {
    if let Some(text) = listed(&args.load)? {
        return printer.stdout(&text);
    }
    let work = || Loader::scope(&args.load, |said| printer.diagnostic(said), |loader| with(&args, loader, printer));
    monitored(&args.load, std::slice::from_ref(&args.program), printer, work)
}

fn with(args: &RunArgs, loader: &Loader<'_>, printer: &Printer) -> Result<()> {
    let program = if args.list { loader.inspect(&args.program) } else { loader.load(&args.program) }?;
    loader.idle(&[&program]).iter().for_each(|warning| printer.diagnostic(warning));
    loader.fallen_back(&program).into_iter().for_each(|text| printer.note(text));
    if args.list {
        return printer.stdout(&if args.executables { list::executables(&program) } else { list::text(&program) });
    }
    if args.check {
        return check::check(args, &program, printer);
    }
    let function = program.function(args.function.as_deref())?.clone();
    if let Some(other) = &args.compare_with {
        return compare::compare(args, other, loader, &program, &function, printer);
    }
    if let Some(path) = &args.record {
        if args.calls > 1 {
            return Err(Error::usage("`--record` keeps one call: `--calls` has no effect"));
        }
        return record::record(args, path, &program, &function, printer);
    }
    // All errors in the command line are reported before anything runs.
    args.trace.as_deref().map_or(Ok(()), trace::check)?;
    let inputs = inputs(args, &function)?;
    let expected = bind("output", "--expect", &args.expect, &function, &function.outputs)?;
    let (files, mut printed) = Destination::plan("output", "--output", &args.outputs, &function)?;
    // States are tensors like the outputs of a function.
    let of_program = states(&program);
    let given = bind_states(&args.state_in, &program)?;
    let (state_files, states_printed) = match &args.state_out[..] {
        [] => Default::default(),
        list => Destination::plan("state", "--state-out", list, &of_program)?,
    };
    if args.outputs.is_empty() && !args.expect.is_empty() {
        printed.clear();
    }

    let mut instance = Instance::new(&program, InstanceOptions { threads: args.load.threads })?;
    set_states(&mut instance, &given)?;
    let mut outputs = Vec::new();
    let mut guarded = 0;
    let mut timeline = None;
    for call in 1..=args.calls {
        if args.trace.is_some() && call == args.calls {
            timeline = Some(instance.timeline(&function.name, &inputs, &mut outputs)?);
        } else if args.guard {
            let (returned, dispatches) = instance.call_guarded(&function.name, &inputs)?;
            (outputs, guarded) = (returned, guarded + dispatches);
        } else {
            instance.call_into(&function.name, &inputs, &mut outputs)?;
        }
    }
    if args.guard {
        printer.note(format!("guarded {guarded} dispatch{}", if guarded == 1 { "" } else { "es" }));
    }
    if let (Some(path), Some(timeline)) = (&args.trace, &timeline) {
        trace::write(path, &args.program.display().to_string(), timeline, program.kernels())?;
    }
    let mut held = Vec::new();
    if !args.state_out.is_empty() {
        held = of_program
            .outputs
            .iter()
            .filter_map(|s| s.name.as_deref())
            .map(|name| instance.state(name))
            .collect::<Result<Vec<_>>>()?;
    }

    for (destination, indices) in files {
        write(destination, &indices, &function, &outputs)?;
    }
    for (destination, indices) in state_files {
        write(destination, &indices, &of_program, &held)?;
    }
    for index in printed {
        printer.stdout(&text("output", &function, index, &outputs)?)?;
    }
    for index in states_printed {
        printer.stdout(&text("state", &of_program, index, &held)?)?;
    }
    expect::check(args, &function, &outputs, &expected, printer)
}

/// Prints an output or a state: its name and type, and its elements. The text is valid Python: a comment and an
/// expression.
fn text(what: &str, function: &FunctionInfo, index: usize, outputs: &[Tensor]) -> Result<String> {
    let (spec, tensor) = (&function.outputs[index], &outputs[index]);
    let name = spec.name.as_deref().map(|n| format!(" `{n}`")).unwrap_or_default();
    let (ty, elements) = match bytes_of(&function.outputs, index) {
        Some(bytes) => {
            let dims: String = tensor.shape().iter().map(|d| format!("{d}x")).collect();
            let element = spec.element.as_deref().unwrap_or_default();
            (format!("{dims}{element}"), print_strings(tensor.shape(), &texts(tensor, &outputs[bytes])?))
        }
        None => (tensor.type_text(), print(tensor)),
    };
    Ok(format!("# {what} {index}{name}: {ty}\n{elements}\n"))
}

fn inputs(args: &RunArgs, function: &FunctionInfo) -> Result<Vec<Tensor>> {
    let given = bind("input", "--input", &args.inputs, function, &function.inputs)?;
    let missing: Vec<_> = given.iter().enumerate().filter(|(_, t)| t.is_none()).map(|(i, _)| i).collect();
    if missing.is_empty() {
        return Ok(given.into_iter().flatten().collect());
    }
    let text: Vec<_> = describe("input", &function.inputs).lines().map(str::to_owned).collect();
    let lines: Vec<_> = missing.iter().map(|&i| &*text[i]).collect();
    if bytes_of(&function.inputs, missing[0]).is_some() {
        let name = function.inputs[missing[0]].name.as_deref().unwrap_or_default();
        return Err(Error::usage(format!("`{}` needs strings for input `{name}`", function.name))
            .note(lines.join("\n"))
            .hint(format!("give it an array of strings: `--input={name}=@words.npy`")));
    }
    let example = function.inputs[missing[0]].type_text().replace('?', "1");
    Err(Error::usage(format!(
        "`{}` needs {}",
        function.name,
        if lines.len() == 1 { "one more input" } else { "more inputs" }
    ))
    .note(lines.join("\n"))
    .hint(format!("for example `--input={example}=random:1` or `--input=@x.npy`")))
}
