//! Kernels and functions that the input declares and others implement.
//!
//! A kernel becomes an executable with a variant per target, objects and no source; its declaration becomes the entry.
//! A function that kernels call keeps its declaration, which is copied into the executables that call it. Objects are
//! read and embedded here, so that later tools do not depend on files.
mod count;
mod files;
mod gpu;
mod kernel;
mod made;
mod shim;
mod target;

use files::Search;
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Op, Session,
    form::{self, ExternalKernel, Program},
    names,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

/// Returns the calls of functions, by name.
fn calls(program: Program) -> BTreeMap<String, Vec<Op>> {
    let mut calls: BTreeMap<String, Vec<Op>> = BTreeMap::new();
    program.op.walk(&mut |op| {
        if op.is("func.call")
            && let Some(name) = op.callee()
        {
            calls.entry(name).or_default().push(op);
        }
    });
    calls
}

fn place(session: &Session, op: Op, d: Diagnostic) -> Diagnostic {
    d.at(session.span(op))
}

/// Fails if a kernel or function is declared and nothing calls it.
pub(crate) fn check_used(session: &Session, program: Program) -> Result<()> {
    let calls = calls(program);
    let given =
        program.external_kernels().into_iter().map(|g| (g.op, if g.is_kernel() { "kernel" } else { "function" }));
    let host = program.host_functions().into_iter().map(|h| (h.op, "host function"));
    let unused: Vec<Diagnostic> = given
        .chain(host)
        .map(|(op, what)| (op, what, op.symbol().unwrap_or_default()))
        .filter(|(.., name)| !calls.contains_key(name))
        .map(|(op, what, name)| {
            let message = format!("{what} `@{name}` is declared, but nothing calls it");
            place(session, op, Diagnostic::error(message).code("unused-declaration"))
                .hint("call it, or find what it replaces by a schedule or patterns: `hal-opt --stage=FILE.mlir`")
        })
        .collect();
    if unused.is_empty() { Ok(()) } else { Err(Error::many(unused)) }
}

/// Makes executables of kernels, and embeds the objects of functions. `folders` are where objects may be. Errors: all
/// objects that are missing, damaged, for another architecture or without the symbol.
pub(crate) fn take(session: &Session, program: Program, folders: &[PathBuf]) -> Result<()> {
    let search = Search { folders };
    let mut problems = Vec::new();
    for given in program.external_kernels() {
        let taken = if given.is_kernel() {
            kernel::make(session, program, given, &search)
        } else {
            function(session, given, &search)
        };
        if let Err(mut e) = taken {
            let d = e.diagnostics.pop().expect("errors say something");
            problems.push(e);
            let d = if d.primary.is_none() { place(session, given.op, d) } else { d };
            problems.last_mut().expect("pushed").diagnostics.push(d);
        }
    }
    count::forget(program);
    let Some(mut first) = problems.pop() else { return Ok(()) };
    for e in problems.into_iter().rev() {
        first.kind = first.kind.min(e.kind);
        first.diagnostics.splice(0..0, e.diagnostics);
    }
    Err(first)
}

/// Embeds the objects of a function that kernels call.
fn function(session: &Session, given: ExternalKernel, search: &Search<'_>) -> Result<()> {
    if given.is_import() {
        return Ok(());
    }
    if given.targets()?.iter().any(|t| t.arguments.is_some() || t.symbol.is_some()) {
        let text = format!("`@{}` is a function that kernels call, which takes what its type says", given.name());
        let hint = format!("`{}` and `{}` are for kernels, which take tensors", names::ARGUMENTS, names::SYMBOL);
        return Err(Error::input(text).code("bad-declaration").hint(hint));
    }
    let context = session.raw();
    let mut entries = Vec::new();
    for (number, target) in given.targets()?.iter().enumerate() {
        let loaded = files::load(given, target, search)?;
        gpu::refuse(given, target, &loaded)?;
        let code = files::check(given, &given.name(), loaded)?;
        let target = target::of(session, given, target, &code)?;
        let objects = files::embed(session, &format!("{}_{number}", given.name()), &code);
        entries.push(Attr::dict(context, &[("target", target), ("objects", form::object_list(context, &objects))]));
    }
    given.op.set_attr(names::OBJECTS, Attr::array(context, &entries));
    Ok(())
}

/// Copies the declarations that an export calls into its executable.
pub(crate) fn copy_called(program: Program, export: Op, into: halyard_ir::Block) {
    let mut copied = Vec::new();
    export.walk(&mut |op| {
        let callee = op.callee().filter(|_| op.is("func.call"));
        if let Some(given) = callee.and_then(|name| program.external_kernels().into_iter().find(|g| g.name() == name))
            && !copied.contains(&given.op)
        {
            copied.push(given.op);
        }
    });
    for op in copied {
        into.append(op.duplicate());
    }
}

/// Removes the declarations that were copied into executables. Fails if the host calls one, where it cannot run.
pub(crate) fn finish(session: &Session, program: Program) -> Result<()> {
    let mut problems = Vec::new();
    let known: BTreeSet<String> = program.external_kernels().into_iter().map(|g| g.name()).collect();
    for function in program.functions() {
        function.walk(&mut |op| {
            let callee = op.callee().filter(|_| op.is("func.call"));
            if let Some(name) = callee.filter(|name| known.contains(name)) {
                let message = format!("the host cannot call `@{name}`: it is a function for kernels");
                problems.push(place(session, op, Diagnostic::error(message).code("unsupported")).hint(
                    "call it in the body of a `linalg.generic`; a whole kernel takes tensors and has `hal.workgroups`",
                ));
            }
        });
    }
    if !problems.is_empty() {
        return Err(Error::many(problems));
    }
    program.external_kernels().into_iter().for_each(|g| g.op.erase());
    Ok(())
}
