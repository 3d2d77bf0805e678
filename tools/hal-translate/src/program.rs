//! A whole program: every executable gets its variants.
use crate::{
    called,
    ContainmentArgs,
    codegen::Options,
    job::{self, Done, Job, Member},
    llvm::Code,
    report::Report,
    target::CpuTarget,
    workers,
};
use halyard_diag::{Error, Kind, Result};
use halyard_ir::{
    Attr, Session,
    form::{Executable, Phase, Program, Variant, VariantSpec, print},
};
use std::{
    collections::{BTreeSet, HashMap},
    num::NonZeroUsize,
};

/// What to do with a program.
#[derive(Debug, Clone)]
pub struct Translation {
    /// What to generate code for; one variant each.
    pub targets: Vec<CpuTarget>,
    /// How.
    pub options: Options,
    /// Workers at once: what `-j` said, see [`halyard_exec::Slots::new`].
    pub jobs: Option<NonZeroUsize>,
    /// What becomes of executables whose translation crashes.
    pub containment: ContainmentArgs,
    /// Leave the sources of executables out.
    pub strip_source: bool,
}

/// Brings a program from phase `executables` into phase `objects`, in place. Variants that have objects stay as they are.
/// The result does not depend on the number of workers. Errors: the wrong phase; the errors of all executables that
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
    let mut jobs: Vec<Job> = Vec::new();
    // The job of executables that are the same but for names.
    let mut alike: HashMap<(String, usize), usize> = HashMap::new();
    for &executable in executables {
        let wanted = wanted(session, executable, translation);
        if wanted.is_empty() {
            continue;
        }
        check_source(session, executable)?;
        let member =
            Member { name: executable.name(), exports: executable.exports().iter().map(|e| e.name()).collect() };
        let text = nameless(executable);
        for target in wanted {
            let i = *alike.entry((text.clone(), target)).or_insert(jobs.len());
            match jobs.get_mut(i) {
                Some(job) => job.members.push(member.clone()),
                None => jobs.push(Job { members: vec![member.clone()], op: executable.op, target }),
            }
        }
    }
    let (results, said) = workers::run(session, &jobs, &translation.targets, translation, Code::Obj);
    let done = all(results)?;
    let mut report = Report::default();
    report.hear(&said);
    // In the order of the executables and their targets, whoever they were translated with.
    for &executable in executables {
        for (t, target) in translation.targets.iter().enumerate() {
            let lists = jobs.iter().zip(&done).filter(|(job, _)| job.target == t).map(|(_, list)| list);
            for done in lists.flatten().filter(|d| d.member.name == executable.name()) {
                add_variant(session, executable, target, done)?;
                report.add(target, done);
            }
        }
    }
    if translation.strip_source {
        executables.iter().for_each(|&e| strip(e));
    }
    Ok(report)
}

/// The text of an executable without its names: what its code depends on.
fn nameless(executable: Executable) -> String {
    let context = executable.op.context();
    let copy = Executable { op: executable.op.duplicate() };
    copy.variants().into_iter().for_each(|v| v.op.erase());
    copy.op.remove_attr("sym_name");
    for (i, export) in copy.exports().into_iter().enumerate() {
        export.op.set_attr("sym_name", Attr::string(context, &format!("export {i}")));
    }
    let text = print(copy.op);
    copy.op.erase();
    text
}

/// All results, or all errors.
pub(crate) fn all(results: Vec<Result<Vec<Done>>>) -> Result<Vec<Vec<Done>>> {
    let mut done = Vec::new();
    let mut failed: Option<Error> = None;
    for result in results {
        match (result, &mut failed) {
            (Ok(d), _) => done.push(d),
            (Err(e), None) => failed = Some(e),
            (Err(e), Some(first)) => {
                first.kind = Kind::max(first.kind, e.kind);
                // What is wrong with a target is said once.
                let new = e.diagnostics.into_iter().filter(|d| !first.diagnostics.contains(d)).collect::<Vec<_>>();
                first.diagnostics.extend(new);
            }
        }
    }
    failed.map_or(Ok(done), Err)
}

/// The targets for which an executable has no objects yet, as indices.
pub(crate) fn wanted(session: &Session, executable: Executable, translation: &Translation) -> Vec<usize> {
    let has_objects = |v: &Variant| v.objects().is_ok_and(|o| !o.is_empty());
    let variants = executable.variants();
    // Objects and no source: these are all that there will ever be, whatever chip they were made for.
    let given = executable.exports().is_empty() && variants.iter().all(has_objects);
    let has = |target: &CpuTarget| {
        let attr = target.attr(session);
        let fits = |v: &Variant| {
            let of = v.target().and_then(CpuTarget::of_attr);
            v.target() == Some(attr) || (given && of.is_some_and(|of| of.arch() == target.arch()))
        };
        variants.iter().any(|v| fits(v) && has_objects(v))
    };
    (0..translation.targets.len()).filter(|&i| !has(&translation.targets[i])).collect()
}

fn check_source(session: &Session, executable: Executable) -> Result<()> {
    let place = |error: Error| match session.span(executable.op) {
        Some(span) => error.at(span),
        None => error,
    };
    for variant in executable.variants() {
        if variant.objects().map_err(place)?.is_empty() {
            return Err(place(
                Error::input(format!("variant `@{}::@{}` has no objects", executable.name(), variant.name()))
                    .code("no-objects")
                    .hint("give it objects, or leave it out: `hal-translate` makes variants from the source of the executable"),
            ));
        }
    }
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
    let variant = Variant::create(executable, &spec, &workgroups);
    called::add(session, executable, variant, target, &done.needs)?;
    Ok(variant)
}

/// Erases everything but the variants.
fn strip(executable: Executable) {
    // Users first: an operation before its symbol's definition is no matter, symbols are names.
    executable.body().ops().into_iter().filter(|&op| Variant::view(op).is_none()).for_each(|op| op.erase());
}
