//! `--save-code` and `--save-stages`: the code of every executable and what led to it, for users and other tools.
//!
//! Code is generated once more for each kind, so that other translations do not pay for this.
use crate::{
    Translation, TranslationReport, job::Job, llvm::Code, program::all, target::Target, targets::of, variants, workers,
};
use halyard_cli::write_atomically;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Session,
    form::{Executable, ObjectData, Variant, file_name},
};
use std::path::Path;

/// A file of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFile {
    /// The executable.
    pub executable: String,
    /// The variant.
    pub variant: String,
    /// The kind of contents: `ll` and `optimized.ll` (LLVM IR before and after optimisation), `s`, `o`; `spvasm`,
    /// `spv`; `ptx`; `stages.diff` (what each stage of the pipeline changed).
    pub suffix: &'static str,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// The code that a translation will generate.
#[derive(Debug)]
pub struct Missing {
    executable: String,
    /// The variant that contains its own code; `None` for one that is created.
    variant: Option<String>,
    target: Target,
}

/// Returns the code that a translation will generate. Must be called before it runs.
pub fn missing(session: &Session, executables: &[Executable], translation: &Translation) -> Vec<Missing> {
    let mut list = Vec::new();
    for &executable in executables {
        let name = executable.name();
        // The translation reports errors in them.
        for (variant, target) in variants::unfinished(session, executable).unwrap_or_default() {
            list.push(Missing { executable: name.clone(), variant: Some(variant.name()), target });
        }
        for target in variants::wanted(session, executable, translation) {
            let target = translation.targets[target].clone();
            list.push(Missing { executable: name.clone(), variant: None, target });
        }
    }
    list
}

/// The code of what was `missing` before a translation, after it. Errors: what generating code says.
pub fn code(
    session: &Session,
    executables: &[Executable],
    missing: &[Missing],
    translation: &Translation,
) -> Result<Vec<CodeFile>> {
    let found = Found::new(session, executables, missing)?;
    let mut files = found.translate(session, &[Code::Raw, Code::Llvm, Code::Asm], translation)?;
    for ((executable, variant), target) in found.places.iter().zip(&found.targets) {
        let suffix = of(target).suffix(Code::Obj).expect("every target has objects");
        // The object that was generated stands before those that were given to be linked with it.
        if let Some(ObjectData::Embedded(bytes)) = variant.objects()?.into_iter().map(|o| o.data).next() {
            files.push(CodeFile { executable: executable.clone(), variant: variant.name(), suffix, bytes });
        }
    }
    Ok(files)
}

/// What the stages of the pipelines change on the way from executables to the code of what was `missing` before a
/// translation, after it. The exports are lowered once more. Variants that came from the tuning database are left out. Errors:
/// what lowering says.
pub fn stages(
    session: &Session,
    executables: &[Executable],
    (missing, report): (&[Missing], &TranslationReport),
    translation: &Translation,
) -> Result<Vec<CodeFile>> {
    let mut files = Found::new(session, executables, missing)?.translate(session, &[Code::Stages], translation)?;
    files.retain(|file| !report.is_tuned(&file.executable, &file.variant));
    Ok(files)
}

/// The variants that a translation made, and the jobs that make their code again.
struct Found {
    places: Vec<(String, Variant)>,
    jobs: Vec<Job>,
    targets: Vec<Target>,
}

impl Found {
    fn new(session: &Session, executables: &[Executable], missing: &[Missing]) -> Result<Self> {
        let mut places: Vec<(String, Variant)> = Vec::new();
        let mut jobs = Vec::new();
        let mut targets: Vec<Target> = Vec::new();
        for item in missing {
            let Some(executable) = executables.iter().copied().find(|e| e.name() == item.executable) else { continue };
            let attr = item.target.attr(session);
            let is_it = |v: &Variant| match &item.variant {
                Some(name) => v.name() == *name,
                None => v.target() == Some(attr),
            };
            let Some(variant) = executable.variants().into_iter().find(is_it) else { continue };
            let (op, member) = match item.variant {
                Some(_) => (variant.op, variants::member(executable, variant)),
                None => variants::source(session, executable, &item.target)?,
            };
            jobs.push(Job { members: vec![member], op, target: targets.len(), text: None });
            targets.push(item.target.clone());
            places.push((item.executable.clone(), variant));
        }
        Ok(Self { places, jobs, targets })
    }

    /// Generates the kinds of code that the targets have.
    fn translate(&self, session: &Session, codes: &[Code], translation: &Translation) -> Result<Vec<CodeFile>> {
        let Self { places, jobs, targets } = self;
        let mut files = Vec::new();
        for &code in codes {
            let written: Vec<usize> = (0..jobs.len()).filter(|&i| of(&targets[i]).suffix(code).is_some()).collect();
            let chosen: Vec<Job> = written.iter().map(|&i| jobs[i].clone()).collect();
            let done = all(workers::run(session, &chosen, targets, translation, code).0)?;
            for (i, list) in written.into_iter().zip(done) {
                let (executable, variant) = &places[i];
                let bytes = list.into_iter().next().map(|d| d.code).unwrap_or_default();
                let suffix = of(&targets[i]).suffix(code).expect("only those with one");
                files.push(CodeFile { executable: executable.clone(), variant: variant.name(), suffix, bytes });
            }
        }
        Ok(files)
    }
}

/// Writes files of code into a folder. Errors: one that cannot be written.
pub fn write_code(folder: &Path, files: &[CodeFile]) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| Error::io("make the folder", folder, &e))?;
    for file in files {
        let path = folder.join(file_name(&file.executable, Some(&file.variant), file.suffix));
        write_atomically(&path, &file.bytes)?;
    }
    Ok(())
}
