//! Runs the tool, step by step.
use crate::{
    Extract, ExtractArgs, SiblingTools, bodies::has_source, extract::extract, folder::write_files, list,
    request::Inputs, select::select,
};
use halyard_cli::{Input, Printer, read_input, write_output};
use halyard_diag::{Error, Result, may_exist};
use halyard_ir::{
    Module, Op, Session,
    form::{Executable, Phase, Program, load_program, verify},
    is_bytecode,
};
use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

/// Runs the tool. Errors: no program with executables, names that choose nothing, what an executable does not have, a
/// folder that cannot be written.
pub fn run(args: ExtractArgs, printer: &Printer) -> Result<()> {
    args.expect_used()?;
    halyard_ir::load_plugins(&[], args.libraries.dialects())?;
    if args.to == Path::new("-") || args.to.as_os_str().is_empty() {
        return Err(
            Error::usage("files need a folder: they cannot go to standard output").hint("`--to=FOLDER` names one")
        );
    }
    let input = read_input(&args.input).map_err(|e| {
        let is_pattern = args.input.to_string_lossy().contains(['*', '?']) || args.names.is_empty();
        if is_pattern && !may_exist(&args.input) {
            e.hint("names of executables come after the program: `hal-extract - NAME`")
        } else {
            e
        }
    })?;
    let session = Session::until_exit();
    let module = load(session, &input)?;
    let program = Program { op: Op::from(&module) };
    if program.phase()? == Phase::Input {
        program.expect_phase("hal-extract", Phase::Executables)?;
    }
    let executables = select(program, &args.names)?;
    if args.list {
        return printer.stdout(&list::text(&executables));
    }
    let beside =
        input.path.as_deref().and_then(Path::parent).map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
    let here: PathBuf = beside.unwrap_or(Path::new(".")).to_owned();
    let with_here = |folders: &[PathBuf]| folders.iter().cloned().chain([here.clone()]).collect::<Vec<_>>();
    let generator = SiblingTools {
        target: args.target.clone(),
        opt_level: args.opt_level.unwrap_or(3),
        fast_math: args.fast_math.clone(),
        verify: args.verify,
    };
    let inputs = Inputs {
        functions: args.function.clone(),
        tensors: args.inputs.clone(),
        size: args.size,
        modules: args.module.clone(),
        plugins: args.executable_plugin.clone(),
        constants: args.constant.clone(),
    };
    let reference = args.reference.as_deref().map(read_input).transpose()?;
    if args.verify.is_some() || reference.is_some() {
        let session = Session::new();
        let module = reference.as_ref().map(|r| load_program(&session, &r.bytes, &r.name)).transpose()?;
        let expected = module.as_ref().map_or(program, |(module, _)| Program { op: Op::from(module) });
        if args.verify.is_some() {
            expect_sources(expected, &executables)?;
        }
    }
    let record = args.record.as_deref().map(read_input).transpose()?;
    let reference: Option<Vec<u8>> = reference.map(|r| r.bytes.into());
    let what = Extract {
        program,
        executables: &executables,
        kinds: &args.kinds,
        generator: &generator,
        inputs: &inputs,
        reference: reference.as_deref(),
        record: record.as_ref(),
        weights_path: &with_here(&args.weights_path),
        object_path: &with_here(&args.object_path),
        lenient: args.lenient,
    };
    let (files, remarks) = extract(session, &what)?;
    write_files(session, &args.to, (&executables, &files), args.overwrite, printer)?;
    for remark in &remarks {
        printer.diagnostic(remark);
    }
    summary(printer, executables.len(), files.len(), &args.to);
    let written: Vec<PathBuf> = files.iter().map(|f| args.to.join(&f.name)).collect();
    args.depfile.write(&written.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    match &args.output {
        Some(path) => pass_on(path, &input.bytes),
        None if std::io::stdout().is_terminal() => Ok(()),
        None => pass_on(Path::new("-"), &input.bytes),
    }
}

/// A program, or a program of nothing but an executable that stands alone. Errors: neither.
fn load<'s>(session: &'s Session, input: &Input) -> Result<Module<'s>> {
    let module = session.parse(&input.bytes, &input.name)?;
    let op = Op::from(&module);
    if Program::view(op).is_some() || Executable::view(op).is_none() {
        return Ok(load_program(session, &input.bytes, &input.name)?.0);
    }
    let whole = session.empty_module();
    let outer = Op::from(&whole);
    outer.body().expect("a module has a body").append(op.duplicate());
    verify(session, Program::stamp(outer, Phase::Executables))?;
    Ok(whole)
}

/// Errors: one of the executables has objects but no source in the program that says what is expected.
fn expect_sources(expected: Program, executables: &[Executable]) -> Result<()> {
    let names: Vec<String> = executables.iter().map(|e| e.name()).collect();
    let bare = expected.executables().into_iter().find(|e| names.contains(&e.name()) && !has_source(*e));
    bare.map_or(Ok(()), |e| {
        let message = format!(
            "what `{}` is expected to compute comes from objects, which have no source to verify against",
            e.name()
        );
        Err(Error::usage(message).code("no-source").hint("`--reference=PROGRAM` names the program without them"))
    })
}

fn pass_on(path: &Path, bytes: &[u8]) -> Result<()> {
    if path == Path::new("-") && is_bytecode(bytes) && std::io::stdout().is_terminal() {
        return Err(Error::usage("bytecode is not written to a terminal")
            .code("bytecode-to-terminal")
            .hint("leave out `-o -`"));
    }
    write_output(path, bytes)
}

fn summary(printer: &Printer, executables: usize, files: usize, to: &Path) {
    if printer.is_human() && !printer.is_quiet() {
        let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let text =
            format!("wrote {} of {} to {}\n", plural(files, "file"), plural(executables, "executable"), to.display());
        printer.stderr(&text);
    }
}
