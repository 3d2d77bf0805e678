//! A whole program: every executable gets its variants.
use crate::{
    codegen::Options,
    job::{self, Done, Job},
    llvm::Code,
    report::Report,
    target::CpuTarget,
    workers,
};
use halyard_diag::{Error, Kind, Result};
use halyard_ir::{
    Session,
    form::{Executable, Phase, Program, Variant, VariantSpec, write},
};
use std::collections::BTreeSet;

/// What to do with a program.
#[derive(Debug)]
pub struct Translation {
    /// What to generate code for; one variant each.
    pub targets: Vec<CpuTarget>,
    /// How.
    pub options: Options,
    /// Threads to use at most.
    pub threads: usize,
    /// Leave the sources of executables out.
    pub strip_source: bool,
}

/// Brings a program from phase `executables` into phase `objects`, in place. Variants that have objects stay as they are.
/// The result does not depend on the number of threads. Errors: the wrong phase; the errors of all executables that
/// cannot be translated.
pub fn translate(session: &Session, program: Program, translation: &Translation) -> Result<Report> {
    program.expect_phase("hal-translate", Phase::Executables)?;
    let executables = program.executables();
    let report = translate_executables(session, &executables, translation)?;
    Program::stamp(program.op, Phase::Objects);
    Ok(report)
}

/// The same for executables alone.
pub(crate) fn translate_executables(
    session: &Session,
    executables: &[Executable],
    translation: &Translation,
) -> Result<Report> {
    let mut jobs = Vec::new();
    let mut places = Vec::new();
    for &executable in executables {
        let wanted = wanted(session, executable, translation);
        if wanted.is_empty() {
            continue;
        }
        check_source(session, executable)?;
        let bytes = write(executable.op, true);
        for target in wanted {
            jobs.push(Job {
                name: executable.name(),
                bytes: bytes.clone(),
                exports: executable.exports().iter().map(|e| e.name()).collect(),
                target,
            });
            places.push(executable);
        }
    }
    let sources = session.sources();
    let results =
        workers::run(&jobs, translation.threads, &translation.targets, &sources, translation.options, Code::Obj);
    let done = all(results)?;
    let mut report = Report::default();
    for ((job, &executable), done) in jobs.iter().zip(&places).zip(&done) {
        add_variant(session, executable, &translation.targets[job.target], done)?;
        report.add(&job.name, &translation.targets[job.target], done);
    }
    if translation.strip_source {
        executables.iter().for_each(|&e| strip(e));
    }
    Ok(report)
}

/// All results, or all errors.
pub(crate) fn all(results: Vec<Result<Done>>) -> Result<Vec<Done>> {
    let mut done = Vec::new();
    let mut failed: Option<Error> = None;
    for result in results {
        match (result, &mut failed) {
            (Ok(d), _) => done.push(d),
            (Err(e), None) => failed = Some(e),
            (Err(e), Some(first)) => {
                first.kind = Kind::max(first.kind, e.kind);
                first.diagnostics.extend(e.diagnostics);
            }
        }
    }
    failed.map_or(Ok(done), Err)
}

/// The targets for which an executable has no objects yet, as indices.
fn wanted(session: &Session, executable: Executable, translation: &Translation) -> Vec<usize> {
    let has = |target: &CpuTarget| {
        let attr = target.attr(session);
        executable.variants().iter().any(|v| v.target() == Some(attr) && v.objects().is_ok_and(|o| !o.is_empty()))
    };
    (0..translation.targets.len()).filter(|&i| !has(&translation.targets[i])).collect()
}

fn check_source(session: &Session, executable: Executable) -> Result<()> {
    let place = |error: Error| match session.span(executable.op) {
        Some(span) => error.at(span),
        None => error,
    };
    if executable.exports().is_empty() {
        return Err(place(
            Error::input(format!(
                "executable `@{}` has no source and no objects for all of the targets",
                executable.name()
            ))
            .code("no-source")
            .hint("translate it without `--strip-source`, or ask for the targets that it has"),
        ));
    }
    Ok(())
}

fn add_variant(session: &Session, executable: Executable, target: &CpuTarget, done: &Done) -> Result<Variant> {
    let taken: BTreeSet<String> = executable.body().ops().into_iter().filter_map(|op| op.symbol()).collect();
    let base = target.variant_name();
    let name = std::iter::once(base.clone())
        .chain((2..).map(|i| format!("{base}_{i}")))
        .find(|name| !taken.contains(name))
        .expect("numbers do not end");
    let data = Variant::embed(session.raw(), &format!("{}_{name}", executable.name()), &done.code);
    let workgroups = job::read_workgroups(session, done)?;
    let spec = VariantSpec { name: &name, target: target.attr(session), objects: vec![("elf".into(), data)] };
    Ok(Variant::create(executable, &spec, &workgroups))
}

/// Erases everything but the variants.
fn strip(executable: Executable) {
    // Users first: an operation before its symbol's definition is no matter, symbols are names.
    executable.body().ops().into_iter().filter(|&op| Variant::view(op).is_none()).for_each(|op| op.erase());
}
