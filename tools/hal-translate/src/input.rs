//! The kinds of input: a program, one executable, or functions from which an executable is made.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Module, Op, Session,
    form::{Executable, Program, single_executable, verify, verify_alone},
    names,
};

/// The parsed input.
pub(crate) enum Input {
    /// A program, verified.
    Program(Program),
    /// An executable alone.
    Executable(Executable),
}

/// Classifies a parsed input. A module of functions becomes an executable with its public functions as exports. Fails
/// if the exchange form is violated, or if there is no function.
pub(crate) fn classify(session: &Session, module: &Module<'_>, name: &str) -> Result<Input> {
    let root = Op::from(module);
    if let Some(program) = Program::view(root) {
        verify(session, program)?;
        return Ok(Input::Program(program));
    }
    let ops = root.body_ops();
    let is_executable = |op: &Op| Executable::view(*op).is_some();
    if !is_executable(&root) && ops.len() > 1 && ops.iter().any(is_executable) {
        return Err(Error::input("the input holds executables and more, but no `hal.phase`: it is not a program")
            .in_file(name)
            .code("not-a-program")
            .hint("was the attribute removed by another tool? `hal-import` writes programs; a standalone executable is the only operation"));
    }
    if is_executable(&root) || ops.iter().any(is_executable) {
        let executable = single_executable(session, root, "the input")?;
        verify_alone(session, executable)?;
        return Ok(Input::Executable(named(executable)));
    }
    // Globals and what reads them are of the host: this is a model, and its functions are no kernels.
    if ops.iter().any(|op| op.is_of("ml_program")) {
        return Err(Error::input("the input is a model that has not been imported")
            .in_file(name)
            .code("not-a-program")
            .hint("run `hal-import` first"));
    }
    let context = root.context();
    let is_public = |op: &Op| op.attr("sym_visibility").and_then(Attr::as_string).is_none_or(|v| v == "public");
    let is_function = |op: &&Op| (op.is("func.func") || op.is("llvm.func")) && op.body().is_some() && is_public(op);
    let functions: Vec<Op> = ops.iter().filter(is_function).copied().collect();
    let counts = |op: &Op| {
        let name = op.symbol().unwrap_or_default();
        functions.iter().any(|f| name == format!("{}_workgroups", f.symbol().unwrap_or_default()))
    };
    let exports: Vec<Op> = functions.iter().filter(|f| !counts(f)).copied().collect();
    if exports.is_empty() {
        return Err(Error::input(
            "the input is neither a program, nor an executable, nor does it hold functions to make one of",
        )
        .in_file(name)
        .code("not-a-program")
        .hint("run `hal-import` first"));
    }
    for export in exports {
        export.set_attr(names::EXPORT, Attr::unit(context));
    }
    root.set_attr(names::EXECUTABLE, Attr::unit(context));
    Ok(Input::Executable(named(Executable { op: root })))
}

/// An executable without a name is called like its first export.
fn named(executable: Executable) -> Executable {
    if executable.op.symbol().is_none() {
        let first = executable.body().ops().into_iter().find(|op| op.has_attr(names::EXPORT));
        let export = first.and_then(|op| op.symbol()).unwrap_or_else(|| "executable".into());
        executable.op.set_attr("sym_name", Attr::string(executable.op.context(), &export));
    }
    executable
}
