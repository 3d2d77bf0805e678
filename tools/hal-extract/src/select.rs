//! Which executables are meant.
use glob::Pattern;
use halyard_diag::{Error, Result, either, nearest};
use halyard_ir::form::{Executable, Program};

/// The executables of a program that names or patterns choose, in the order of the program; all if there are no names.
/// Errors: a name or pattern that chooses none, with near names; a program without executables.
pub fn select(program: Program, names: &[String]) -> Result<Vec<Executable>> {
    let executables = program.executables();
    if executables.is_empty() {
        return Err(Error::input("the program has no executables").code("no-executable"));
    }
    let known: Vec<String> = executables.iter().map(|e| e.name()).collect();
    let mut chosen = vec![names.is_empty(); known.len()];
    let mut errors: Option<Error> = None;
    for name in names {
        let bare = name.strip_prefix('@').unwrap_or(name);
        if let Some(i) = known.iter().position(|k| k == bare) {
            chosen[i] = true;
            continue;
        }
        let pattern = Pattern::new(bare).map_err(|e| Error::usage(format!("`{name}` is not a pattern: {}", e.msg)))?;
        let mut any = false;
        for (flag, known) in chosen.iter_mut().zip(&known) {
            if pattern.matches(known) {
                (*flag, any) = (true, true);
            }
        }
        if !any {
            let error = unmatched(name, bare, &known);
            errors = Some(match errors {
                Some(mut all) => {
                    all.diagnostics.extend(error.diagnostics);
                    all
                }
                None => error,
            });
        }
    }
    match errors {
        Some(errors) => Err(errors),
        None => Ok(executables.into_iter().zip(chosen).filter_map(|(e, flag)| flag.then_some(e)).collect()),
    }
}

fn unmatched(name: &str, bare: &str, known: &[String]) -> Error {
    let near = nearest(bare, known.iter().map(String::as_str));
    let error = if bare.contains(['*', '?', '[']) {
        Error::usage(format!("no executable matches `{name}`"))
    } else {
        Error::usage(format!("there is no executable `{name}`"))
    };
    let error = error.code("no-executable");
    if !near.is_empty() {
        return error.hint(format!("did you mean {}?", either(&near)));
    }
    let first: Vec<_> = known.iter().take(3).map(|k| format!("`{k}`")).collect();
    let more = if known.len() > 3 { format!(", … ({} in all)", known.len()) } else { String::new() };
    error.note(format!("the program has {}{more}", first.join(", ")))
}
