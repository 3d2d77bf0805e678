//! Selects executables.
use halyard_diag::{Error, Result};
use halyard_ir::form::{Executable, ExecutableSelector, Program};

/// The executables of a program that names, patterns, keys or origins choose ([`ExecutableSelector`]), in the order of the
/// program; all if there are no names. Errors: what chooses none, with near names; a program without executables.
pub fn select(program: Program, names: &[String]) -> Result<Vec<Executable>> {
    let executables = program.executables();
    if executables.is_empty() {
        return Err(Error::input("the program has no executables").code("no-executable"));
    }
    if names.is_empty() {
        return Ok(executables);
    }
    let selector = ExecutableSelector::new(&executables);
    let mut chosen = Vec::new();
    let mut errors: Option<Error> = None;
    for name in names {
        match (selector.all(name), &mut errors) {
            (Ok(found), _) => chosen.extend(found.into_iter().map(|e| e.op)),
            (Err(error), Some(all)) => all.diagnostics.extend(error.diagnostics),
            (Err(error), None) => errors = Some(error),
        }
    }
    match errors {
        Some(errors) => Err(errors),
        None => Ok(executables.into_iter().filter(|e| chosen.contains(&e.op)).collect()),
    }
}
