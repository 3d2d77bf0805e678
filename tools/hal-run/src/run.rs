//! The tool's work, in order.
use crate::{Args, check, expect, list, record};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_programs::{Loader, listed, monitored};
use halyard_runtime::{FunctionInfo, Instance, Options, Tensor};
use halyard_tensors::{Destination, bind, bytes_of, describe, print, print_strings, texts, write};

/// Runs the tool. Errors: a program that cannot be loaded, an unknown function, inputs that do not fit, outputs that
/// differ from what is expected.
pub fn run(args: Args, printer: &Printer) -> Result<()> {
    if let Some(text) = listed(&args.load)? {
        return printer.stdout(&text);
    }
    let work = || Loader::scope(&args.load, |said| printer.diagnostic(said), |loader| with(&args, loader, printer));
    monitored(&args.load, printer, work)
}

fn with(args: &Args, loader: &Loader<'_>, printer: &Printer) -> Result<()> {
    let program = if args.list { loader.inspect(&args.program) } else { loader.load(&args.program) }?;
    loader.idle(&[&program]).iter().for_each(|warning| printer.diagnostic(warning));
    loader.fallen_back(&program).into_iter().for_each(|text| printer.note(text));
    if args.list {
        return printer.stdout(&list::text(&program));
    }
    if args.check {
        return check::check(args, &program, printer);
    }
    let function = program.function(args.function.as_deref())?.clone();
    if let Some(path) = &args.record {
        return record::record(args, path, &program, &function, printer);
    }
    // Whatever is wrong with the command line is told before anything runs.
    let inputs = inputs(args, &function)?;
    let expected = bind("output", "--expect", &args.expect, &function, &function.outputs)?;
    let (files, mut printed) = Destination::plan(&args.outputs, &function)?;
    if args.outputs.is_empty() && !args.expect.is_empty() {
        printed.clear();
    }

    let mut instance = Instance::new(&program, Options { threads: args.load.threads })?;
    let outputs = if args.guard {
        let (outputs, dispatches) = instance.call_guarded(&function.name, &inputs)?;
        printer.note(format!("guarded {dispatches} dispatch{}", if dispatches == 1 { "" } else { "es" }));
        outputs
    } else {
        instance.call(&function.name, &inputs)?
    };

    for (destination, indices) in files {
        write(destination, &indices, &function, &outputs)?;
    }
    for index in printed {
        printer.stdout(&text(&function, index, &outputs)?)?;
    }
    expect::check(args, &function, &outputs, &expected, printer)
}

/// An output for people: its name and type, and its elements. It is Python, too: a comment and an expression.
fn text(function: &FunctionInfo, index: usize, outputs: &[Tensor]) -> Result<String> {
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
    Ok(format!("# output {index}{name}: {ty}\n{elements}\n"))
}

fn inputs(args: &Args, function: &FunctionInfo) -> Result<Vec<Tensor>> {
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
