//! A single executable as a module: the form that external tools read, and that files of single executables have.
use super::Executable;
use crate::{Attr, Op, Type, names};
use halyard_diag::{Error, Result, few};
use mlir_sys::*;

/// Prints one executable as its own module, as text or bytecode, with the version of the exchange form. Text has no
/// lines outside the module except resources: attributes are printed where they are used.
pub fn write_standalone(executable: Executable, bytecode: bool) -> Vec<u8> {
    let op = executable.op;
    let had = op.attr(names::VERSION);
    op.set_attr(names::VERSION, Attr::integer(Type::integer(op.context(), 32), names::VERSION_NUMBER));
    let bytes = if bytecode { super::write(op, true) } else { print_local(op).into_bytes() };
    match had {
        Some(version) => op.set_attr(names::VERSION, version),
        None => drop(op.remove_attr(names::VERSION)),
    }
    bytes
}

fn print_local(op: Op) -> String {
    // SAFETY: the flags are live.
    super::load::print_with(op, |flags| unsafe { mlirOpPrintingFlagsUseLocalScope(flags) })
}

/// The one executable of a module that was parsed from a reply or a file: the module itself, or the only operation of a
/// `builtin.module` around it. `name` is what messages call the module. Errors: none, several, or anything beside it; a
/// whole program; another version of the exchange form.
pub fn single_executable(session: &crate::Session, module: Op, name: &str) -> Result<Executable> {
    let found = find(session, module, name)?;
    let version = found.op.attr(names::VERSION).map(|v| v.as_int());
    if version.is_some_and(|v| v != Some(names::VERSION_NUMBER)) {
        let found = version.flatten().map_or("unknown".into(), |v| v.to_string());
        return Err(Error::input(format!(
            "{name} has version {found} of the exchange form, this tool reads version {}",
            names::VERSION_NUMBER
        ))
        .code("wrong-version")
        .hint("make it again with tools of one release"));
    }
    Ok(found)
}

fn find(session: &crate::Session, module: Op, name: &str) -> Result<Executable> {
    let at = |error: Error, op: Op| error.at(session.span(op));
    if let Some(executable) = Executable::view(module) {
        return Ok(executable);
    }
    if module.has_attr(names::PHASE) {
        let error = Error::input(format!("{name} is a whole program, not one executable")).code("not-an-executable");
        return Err(at(error, module).hint("one executable is a module with `hal.executable` and nothing around it"));
    }
    let ops = module.body_ops();
    let executables: Vec<Executable> = ops.iter().copied().filter_map(Executable::view).collect();
    match *executables {
        [] => {
            let error =
                Error::input(format!("{name} holds no executable: no module in it has `{}`", names::EXECUTABLE))
                    .code("not-an-executable");
            let error = match ops.first() {
                Some(&first) => at(error, first),
                None => error.note("it is an empty module"),
            };
            Err(error.hint(format!("an executable is `module @name attributes {{{}}} {{ … }}`", names::EXECUTABLE)))
        }
        [one] => match ops.iter().copied().find(|&op| op != one.op) {
            Some(other) => {
                let what = other.symbol().map_or_else(|| other.name(), |s| format!("{} @{s}", other.name()));
                let error = Error::input(format!("{name} holds more than one executable: `{what}` stands beside it"))
                    .code("not-an-executable");
                Err(at(error, other)
                    .note("everything beside the executable would be lost")
                    .hint("put it into the executable, or leave it out"))
            }
            None => Ok(one),
        },
        [_, second, ..] => {
            let names: Vec<_> = executables.iter().map(|e| format!("@{}", e.name())).collect();
            let error = Error::input(format!("{name} holds {} executables: {}", names.len(), few(&names)))
                .code("not-an-executable");
            Err(at(error, second.op).note("exactly one is expected"))
        }
    }
}
