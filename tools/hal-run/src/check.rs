//! `--check`: runs programs that contain their expected outputs.
//!
//! A function `F.expected` without inputs returns the expected outputs of `F`; `hal-extract --as=benchmark` generates
//! such programs.
use crate::{RunArgs, expect};
use halyard_cli::Printer;
use halyard_diag::{Diagnostic, Error, ErrorKind, Result};
use halyard_runtime::{FunctionInfo, Instance, InstanceOptions, LoadedProgram};

/// The suffix of functions that return expected outputs.
const SUFFIX: &str = ".expected";

/// Calls the functions that have expectations and compares. Errors: there are none; results that differ, all of them.
pub(crate) fn check(args: &RunArgs, program: &LoadedProgram, printer: &Printer) -> Result<()> {
    let pairs = pairs(args, program)?;
    let mut instance = Instance::new(program, InstanceOptions { threads: args.load.threads })?;
    let mut differences = Vec::new();
    for (function, expected) in &pairs {
        let want = instance.call(&expected.name, &[])?;
        // Most of these have kernels under development: they are guarded if possible.
        let guarded = args.guard || program.device_title().is_none();
        let got =
            if guarded { instance.call_guarded(&function.name, &[])?.0 } else { instance.call(&function.name, &[])? };
        if got.len() != want.len() {
            let message =
                format!("`{}` returns {} tensors, `{}` {}", function.name, got.len(), expected.name, want.len());
            differences.push(Diagnostic::error(message).code("wrong-result"));
            continue;
        }
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            if let Some(mut d) = expect::difference(args, function, i, got, want) {
                d.message = format!("`{}`: {}", function.name, d.message);
                differences.push(d);
            }
        }
    }
    if !differences.is_empty() {
        return Err(Error { kind: ErrorKind::Input, diagnostics: differences });
    }
    printer.note(match pairs.len() {
        1 => "1 function returns the expected outputs".to_owned(),
        n => format!("{n} functions return the expected outputs"),
    });
    Ok(())
}

fn pairs(args: &RunArgs, program: &LoadedProgram) -> Result<Vec<(FunctionInfo, FunctionInfo)>> {
    let functions = program.functions();
    let with_expectation = |f: &FunctionInfo| {
        let expected = functions.iter().find(|e| e.name.strip_suffix(SUFFIX) == Some(&f.name))?;
        (f.inputs.is_empty() && expected.inputs.is_empty()).then(|| (f.clone(), expected.clone()))
    };
    if let Some(name) = args.function.as_deref() {
        let pair = with_expectation(program.function(Some(name))?);
        let pair =
            pair.ok_or_else(|| Error::usage(format!("the program does not declare the expected outputs of `{name}`")))?;
        return Ok(vec![pair]);
    }
    let pairs: Vec<_> = functions.iter().filter_map(with_expectation).collect();
    if pairs.is_empty() {
        return Err(Error::usage("the program does not declare the expected outputs of its functions")
            .code("no-expectation")
            .note("a function `F.expected` without inputs returns the expected outputs of `F`")
            .hint("`hal-extract --as=benchmark` makes such programs; `--expect` compares with a file"));
    }
    Ok(pairs)
}
