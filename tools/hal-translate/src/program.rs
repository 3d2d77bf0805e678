//! Translates a whole program: gives every executable its variants.
use crate::{
    Translation,
    job::{Done, Job, Member},
    llvm::Code,
    nameless::nameless,
    report::TranslationReport,
    target::Target,
    tuning::{self, Tuned},
    variants,
};
use halyard_diag::{Error, ErrorKind, Result};
use halyard_ir::{
    Session,
    form::{Executable, Phase, Program, drop_source},
};
use std::collections::HashMap;

/// Translates a program from phase `executables` to phase `objects`, in place. Variants that have objects stay
/// unchanged. The result does not depend on the number of workers. Fails in the wrong phase, or with the errors of all
/// executables that cannot be translated.
pub fn translate(session: &Session, program: Program, translation: &Translation) -> Result<TranslationReport> {
    program.expect_phase("hal-translate", Phase::Executables)?;
    let executables = program.executables();
    let report = translate_executables(session, &executables, translation)?;
    Program::stamp(program.op, Phase::Objects);
    Ok(report)
}

/// Translates executables without a program.
pub(crate) fn translate_executables(
    session: &Session,
    executables: &[Executable],
    translation: &Translation,
) -> Result<TranslationReport> {
    let mut tuned = Tuned::place(session, executables, translation)?;
    let mut jobs: Vec<Job> = Vec::new();
    // The requested targets, then those of variants that contain code.
    let mut targets = translation.targets.clone();
    // The job of executables that are the same but for names.
    let mut alike: HashMap<(String, usize), usize> = HashMap::new();
    for &executable in executables {
        for (variant, target) in variants::unfinished(session, executable)? {
            let known = targets.iter().position(|t| *t == target);
            let target = known.unwrap_or_else(|| {
                targets.push(target);
                targets.len() - 1
            });
            let members = vec![variants::member(executable, variant)];
            jobs.push(Job { members, op: variant.op, target, text: None });
        }
        let wanted = variants::wanted(session, executable, translation);
        if wanted.is_empty() {
            continue;
        }
        check_source(session, executable)?;
        let exports = executable.exports().iter().map(|e| e.name()).collect();
        let member = Member { name: executable.name(), variant: None, exports };
        let mut text = nameless(executable);
        if translation.debug.is_some() {
            // Line tables name the file of the executable.
            text += &member.name;
        }
        for target in wanted {
            let i = *alike.entry((text.clone(), target)).or_insert(jobs.len());
            match jobs.get_mut(i) {
                Some(job) => job.members.push(member.clone()),
                None => {
                    let text = (tuned.is_none() && translation.debug.is_none()).then(|| text.clone());
                    jobs.push(Job { members: vec![member.clone()], op: executable.op, target, text });
                }
            }
        }
    }
    if let Some(debug) = &translation.debug {
        debug.write(&jobs)?;
    }
    let (results, said) = tuning::run(session, &mut jobs, &targets, translation, Code::Obj, tuned.as_mut());
    let done = all(results)?;
    let mut report = TranslationReport::default();
    report.add_output(said);
    report.add_tuned(tuned.as_ref());
    // In the order of the executables and their targets, regardless of jobs that translated several.
    let mut results: HashMap<(&str, usize), Vec<&Done>> = HashMap::new();
    for (job, list) in jobs.iter().zip(&done) {
        for done in list {
            results.entry((&done.member.name, job.target)).or_default().push(done);
        }
    }
    for &executable in executables {
        let name = executable.name();
        for (t, target) in targets.iter().enumerate() {
            for done in results.get(&(&*name, t)).into_iter().flatten().copied() {
                match done.member.variant {
                    Some(_) => variants::fill(session, executable, target, done, translation)?,
                    None => variants::add(session, executable, target, done, translation)?,
                }
                report.add(target, done);
            }
        }
    }
    if let Some(verify) = &translation.verify {
        report.add_verified(verify.run(session, executables, &jobs, translation)?);
    }
    if translation.strip_source {
        executables.iter().for_each(|e| drop_source(*e));
    }
    Ok(report)
}

/// Returns all results, or all errors.
pub(crate) fn all(results: Vec<Result<Vec<Done>>>) -> Result<Vec<Vec<Done>>> {
    let mut done = Vec::new();
    let mut failed: Option<Error> = None;
    for result in results {
        match (result, &mut failed) {
            (Ok(d), _) => done.push(d),
            (Err(e), None) => failed = Some(e),
            (Err(e), Some(first)) => {
                first.kind = ErrorKind::max(first.kind, e.kind);
                // An error in a target is reported once.
                let new = e.diagnostics.into_iter().filter(|d| !first.diagnostics.contains(d)).collect::<Vec<_>>();
                first.diagnostics.extend(new);
            }
        }
    }
    failed.map_or(Ok(done), Err)
}

/// Returns the targets for which an executable has variants, for messages.
fn targets_of(executable: Executable) -> String {
    let targets = executable.variants().into_iter().filter_map(|v| Target::of_attr(v.target()?));
    let name = |target: Target| match target {
        Target::Cpu(t) => format!("`cpu:{}@{}`", t.chip, t.triple),
        gpu => format!("`{gpu}`"),
    };
    let list: Vec<String> = targets.map(name).collect();
    if list.is_empty() { "nothing".into() } else { list.join(", ") }
}

fn check_source(session: &Session, executable: Executable) -> Result<()> {
    let place = |error: Error| error.at(session.span(executable.op));
    if let Some(bare) = executable.exports().into_iter().find(|e| e.op.body().is_none()) {
        let name = format!("export `@{}` of executable `@{}`", bare.name(), executable.name());
        return Err(place(
            Error::input(format!("{name} has no body, and there are no objects for all of the targets"))
                .code("no-source")
                .hint("ask for the targets that it has, with `--target`"),
        ));
    }
    if executable.exports().is_empty() {
        return Err(place(
            Error::input(format!(
                "executable `@{}` has no source and no objects for all of the targets",
                executable.name()
            ))
            .code("no-source")
            .note(format!("it has objects for {}", targets_of(executable)))
            .hint("ask for a target that it has, with `--target`; a hand-written kernel needs objects for each, others a source (no `--strip-source`)"),
        ));
    }
    Ok(())
}
