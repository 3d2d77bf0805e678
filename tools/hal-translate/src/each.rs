//! Translates executables independently: a failure does not affect the others. For tools that try many versions of a
//! kernel.
use crate::{
    Translation, TranslationReport,
    job::{Job, Member},
    llvm::Code,
    variants, workers,
};
use halyard_diag::Result;
use halyard_ir::{Session, form::Executable};

/// Gives each executable, from its source, a variant for the first of the targets. Executables need not be part of a
/// program. Each has a separate result: the entry of the report, or why there is no variant.
pub fn translate_each(
    session: &Session,
    executables: &[Executable],
    translation: &Translation,
) -> Vec<Result<TranslationReport>> {
    let mut translation = translation.clone();
    translation.containment.keep_going = true;
    translation.containment.is_trial = true;
    let jobs: Vec<Job> = executables
        .iter()
        .map(|executable| {
            let exports = executable.exports().iter().map(|e| e.name()).collect();
            let member = Member { name: executable.name(), variant: None, exports };
            Job { members: vec![member], op: executable.op, target: 0, text: None }
        })
        .collect();
    let (results, _) = workers::run(session, &jobs, &translation.targets, &translation, Code::Obj);
    // A pipeline that cannot be read is one error for all.
    let mut results = results.into_iter();
    let finish = |executable: &Executable| {
        let mut report = TranslationReport::default();
        for done in results.next().unwrap_or_else(|| Ok(Vec::new()))? {
            variants::add(session, *executable, &translation.targets[0], &done, &translation)?;
            report.add(&translation.targets[0], &done);
        }
        Ok(report)
    };
    executables.iter().map(finish).collect()
}
