//! The code of every executable, for people and other tools: `--save-code`.
//!
//! Code is generated once more for each kind of it: a translation that is not looked into does not pay for this.
use crate::{
    Translation,
    job::{Job, Member},
    llvm::Code,
    program::{all, wanted},
    workers,
};
use halyard_cli::write_atomically;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Session,
    form::{Executable, ObjectData, Variant, file_name},
    names,
};
use std::path::Path;

/// A file of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFile {
    /// The executable.
    pub executable: String,
    /// The variant.
    pub variant: String,
    /// What it holds: `ll` and `optimized.ll` (LLVM IR before and after optimisation), `s`, `o`.
    pub suffix: &'static str,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// What a translation is going to generate code for: executables and indices of targets. To be asked before it runs.
pub fn missing(session: &Session, executables: &[Executable], translation: &Translation) -> Vec<(String, usize)> {
    let of = |e: &Executable| wanted(session, *e, translation).into_iter().map(|t| (e.name(), t)).collect::<Vec<_>>();
    executables.iter().flat_map(of).collect()
}

/// The code of what was `missing` before a translation, after it. Errors: what generating code says.
pub fn code(
    session: &Session,
    executables: &[Executable],
    missing: &[(String, usize)],
    translation: &Translation,
) -> Result<Vec<CodeFile>> {
    let mut places: Vec<(String, Variant)> = Vec::new();
    let mut jobs = Vec::new();
    for (name, target) in missing {
        let Some(executable) = executables.iter().copied().find(|e| e.name() == *name) else { continue };
        let attr = translation.targets[*target].attr(session);
        let Some(variant) = executable.variants().into_iter().find(|v| v.target() == Some(attr)) else { continue };
        let exports: Vec<String> = executable
            .body()
            .ops()
            .into_iter()
            .filter(|op| op.has_attr(names::EXPORT))
            .filter_map(|op| op.symbol())
            .collect();
        if exports.is_empty() {
            return Err(
                Error::input(format!("executable `@{name}` has no source to show the code of")).code("no-source")
            );
        }
        let members = vec![Member { name: name.clone(), variant: None, exports }];
        jobs.push(Job { members, op: executable.op, target: *target });
        places.push((name.clone(), variant));
    }
    let mut files = Vec::new();
    for (code, suffix) in [(Code::Raw, "ll"), (Code::Llvm, "optimized.ll"), (Code::Asm, "s")] {
        let done = all(workers::run(session, &jobs, &translation.targets, translation, code).0)?;
        for ((executable, variant), list) in places.iter().zip(done) {
            let bytes = list.into_iter().next().map(|d| d.code).unwrap_or_default();
            files.push(CodeFile { executable: executable.clone(), variant: variant.name(), suffix, bytes });
        }
    }
    for (executable, variant) in &places {
        // The object that was generated stands before those that were given to be linked with it.
        if let Some(ObjectData::Embedded(bytes)) = variant.objects()?.into_iter().map(|o| o.data).next() {
            files.push(CodeFile { executable: executable.clone(), variant: variant.name(), suffix: "o", bytes });
        }
    }
    Ok(files)
}

/// Writes files of code into a folder. Errors: one that cannot be written.
pub(crate) fn write_code(folder: &Path, files: &[CodeFile]) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| Error::io("make the folder", folder, &e))?;
    for file in files {
        let path = folder.join(file_name(&file.executable, Some(&file.variant), file.suffix));
        write_atomically(&path, &file.bytes)?;
    }
    Ok(())
}
