//! Replaces the source of an executable with MLIR.
use crate::{
    request::{Request, RequestIndex},
    schedule,
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Module, Op, Session,
    form::{Executable, Object, Phase, Program, Variant, check_replacement, print, replace, single_executable},
    names,
};
use halyard_objects::FileFormat;

/// A source that has been checked, and what it comes into.
pub(crate) struct Source<'s> {
    original: Executable,
    /// The executable in the file.
    pub(crate) reply: Executable,
    /// Owns the replacement.
    _module: Module<'s>,
    /// Remarks for the user.
    pub(crate) remarks: Vec<String>,
}

impl Source<'_> {
    /// Substitutes the source.
    pub(crate) fn apply(&self) {
        replace(self.original, self.reply);
    }
}

/// Parses the file of a request and checks it against the executable. `index` is of all requests, since one file may hold several
/// executables. Errors: what MLIR and [`check_replacement`] say; other executables in the file; a program that has its
/// objects already.
pub(crate) fn prepare<'s>(
    session: &'s Session,
    phase: Phase,
    request: &Request,
    index: &RequestIndex<'_>,
) -> Result<Source<'s>> {
    let (file, original) = (&request.files[0], request.executable);
    if file.kind == FileFormat::Schedule {
        return scheduled(session, phase, request);
    }
    let module = session.parse(&file.bytes, &file.name)?;
    let requested = index.executables_of(&file.name);
    let reply = choose(session, Op::from(&module), &file.name, &original.name(), requested)?;
    let mut remarks = Vec::new();
    if phase == Phase::Objects {
        refuse_late(session, original, reply, &file.name)?;
    } else {
        drop_stale(original, reply, &mut remarks);
    }
    check(session, original, reply, phase, &mut remarks)?;
    Ok(Source { original, reply, _module: module, remarks })
}

/// Makes a copy of the executable with the schedules of a file.
fn scheduled<'s>(session: &'s Session, phase: Phase, request: &Request) -> Result<Source<'s>> {
    let (file, original) = (&request.files[0], request.executable);
    let module = session.empty_module();
    let copy = Op::from(&module).body().expect("a module has a body").append(original.op.duplicate());
    let reply = Executable { op: copy };
    let mut remarks = schedule::set(session, reply, file)?;
    if phase == Phase::Objects {
        return Err(Error::input(format!("`{}` is a schedule, but the program already has its objects", file.name))
            .code("wrong-phase")
            .hint("run `hal-substitute` before `hal-translate`"));
    }
    drop_stale(original, reply, &mut remarks);
    Ok(Source { original, reply, _module: module, remarks })
}

/// The executable of that name in a file; what else is there must be asked for, too.
pub(crate) fn choose(session: &Session, module: Op, file: &str, name: &str, requested: &[&str]) -> Result<Executable> {
    let ops = module.body_ops();
    let found: Vec<Executable> = ops.iter().copied().filter_map(Executable::view).collect();
    let is_program = module.has_attr(names::PHASE);
    let variant = Variant::view(module).or_else(|| ops.first().copied().and_then(Variant::view));
    let executable = match found.as_slice() {
        [] if !is_program && variant.is_some() => {
            let variant = variant.map_or_else(String::new, Variant::name);
            return Err(Error::input(format!("`{file}` holds variant `@{variant}`, not an executable"))
                .code("wrong-executable")
                .hint(format!(
                    "`{}/{variant}={file}` replaces that variant",
                    crate::SubstitutionName::executable(name)
                )));
        }
        _ if Executable::view(module).is_some() => single_executable(session, module, &format!("`{file}`"))?,
        [] | [_] if !is_program => single_executable(session, module, &format!("`{file}`"))?,
        _ => {
            if is_program {
                Program { op: module }.phase().map_err(|e| e.in_file(file))?;
            }
            let names: Vec<String> = found.iter().map(|e| e.name()).collect();
            let extra: Vec<String> =
                names.iter().filter(|n| !requested.contains(&n.as_str())).map(|n| format!("`@{n}`")).collect();
            let Some(executable) = found.iter().find(|e| e.name() == name) else {
                return Err(misses(file, name, &names));
            };
            if !extra.is_empty() {
                let shown = extra.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
                let more = if extra.len() > 3 { format!(" and {} more", extra.len() - 3) } else { String::new() };
                return Err(Error::input(format!(
                    "`{file}` contains other executables, too, which nobody asked for: {shown}{more}"
                ))
                .code("several-executables")
                .note(format!("only `{name}` is to be replaced by it"))
                .hint("leave them out of the file (`hal-extract` writes an executable alone), or name them, too"));
            }
            *executable
        }
    };
    if executable.name() != name {
        return Err(misses(file, name, &[executable.name()]));
    }
    Ok(executable)
}

fn misses(file: &str, name: &str, names: &[String]) -> Error {
    let holds: Vec<_> = names.iter().take(5).map(|n| format!("`@{n}`")).collect();
    let holds = if holds.is_empty() { "no executable".to_owned() } else { holds.join(", ") };
    Error::input(format!("`{file}` is to replace `@{name}`, but holds {holds}"))
        .code("wrong-executable")
        .hint(format!("the module in the file must be named `@{name}`, with `{}`", names::EXECUTABLE))
}

/// A copy of the original without the variants that the reply does not bring: they were made of the source that goes.
fn check(
    session: &Session,
    original: Executable,
    reply: Executable,
    phase: Phase,
    remarks: &mut Vec<String>,
) -> Result<()> {
    if phase == Phase::Objects {
        return check_replacement(session, original, reply);
    }
    let copy = Executable { op: original.op.duplicate() };
    if !copy.exports().is_empty() {
        let brought: Vec<String> = reply.variants().iter().map(|v| v.name()).collect();
        for variant in copy.variants().into_iter().filter(|v| !brought.contains(&v.name())) {
            remarks.push(format!("variant `{}` is dropped: it was built from the replaced source", variant.name()));
            variant.op.erase();
        }
    }
    let result = check_replacement(session, copy, reply);
    copy.op.erase();
    result
}

/// After translation only an executable that brings its objects along can come in.
fn refuse_late(session: &Session, original: Executable, reply: Executable, file: &str) -> Result<()> {
    let at = |error: Error| match session.span(reply.op) {
        Some(span) => error.at(span),
        None => error.in_file(file),
    };
    let complete =
        !reply.variants().is_empty() && reply.variants().iter().all(|v| v.objects().is_ok_and(|o| !o.is_empty()));
    if !complete {
        return Err(at(Error::input(format!("`{file}` is a source, but the program already has its objects"))
            .code("wrong-phase")
            .note("the new source would be left without objects")
            .hint("run `hal-substitute` before `hal-translate`")));
    }
    let stale = stale(original, reply);
    if !stale.is_empty() {
        return Err(at(Error::input(format!(
            "`{file}` has a new source, but the old objects of {}",
            stale.join(", ")
        ))
        .code("stale-objects")
        .hint("leave the variants out of the file, and run `hal-substitute` before `hal-translate`")));
    }
    Ok(())
}

/// Removes variants from the replacement whose objects were built from the old source.
fn drop_stale(original: Executable, reply: Executable, remarks: &mut Vec<String>) {
    let old = stale(original, reply);
    for variant in reply.variants() {
        let name = format!("`{}`", variant.name());
        let has_objects = variant.objects().is_ok_and(|o| !o.is_empty());
        if old.contains(&name) {
            remarks.push(format!("variant {name} is dropped: its objects were built from the replaced source"));
            variant.op.erase();
        } else if has_objects && !reply.exports().is_empty() {
            remarks.push(format!("variant {name} comes with objects, which `hal-translate` keeps"));
        }
    }
}

/// The variants that have the same objects in both, though the sources differ.
fn stale(original: Executable, reply: Executable) -> Vec<String> {
    let objects = |e: Executable, name: &str| -> Option<Vec<Object>> {
        e.variants().into_iter().find(|v| v.name() == name)?.objects().ok().filter(|o| !o.is_empty())
    };
    let same = |name: &String| objects(original, name).is_some_and(|o| objects(reply, name) == Some(o));
    let same: Vec<String> = reply.variants().iter().map(|v| v.name()).filter(same).collect();
    // The texts are compared last, because they take the longest to make.
    if same.is_empty() || reply.exports().is_empty() || source_text(original) == source_text(reply) {
        return Vec::new();
    }
    same.into_iter().map(|name| format!("`{name}`")).collect()
}

/// An executable without its variants.
pub(crate) fn source_text(executable: Executable) -> String {
    let copy = Executable { op: executable.op.duplicate() };
    copy.variants().into_iter().for_each(|v| v.op.erase());
    for name in [names::VERSION, names::KEY, names::WORK, names::ORIGIN, "sym_visibility"] {
        copy.op.remove_attr(name);
    }
    let text = print(copy.op);
    copy.op.erase();
    text
}

/// Makes a remark about an executable.
pub(crate) fn remark(name: &str, text: &str) -> Diagnostic {
    Diagnostic::new(halyard_diag::Severity::Note, format!("`{name}`: {text}"))
}
