//! Saves the files that reproduce a crash elsewhere: a folder per executable and target.
//!
//! - `executable.mlir`: the executable as a separate module;
//! - `replay`: a script that translates it with the same target, options and limits;
//! - `said.txt`: the output of the worker, with a backtrace if it crashed;
//! - `versions.txt`.
use crate::{Translation, job::Job, llvm::Code, target::Target, targets};
use halyard_cli::write_atomically;
use halyard_diag::{Error, Result};
use halyard_exec::Loss;
use halyard_ir::form::{Executable, write_standalone};
use halyard_verify::ReproducerFolder;
use std::path::PathBuf;

/// The folder for reproducers; it is created for the first one.
pub(crate) struct Reproducers<'a> {
    targets: &'a [Target],
    translation: &'a Translation,
    folder: ReproducerFolder,
}

impl<'a> Reproducers<'a> {
    pub(crate) fn new(targets: &'a [Target], translation: &'a Translation) -> Self {
        let top = translation.containment.reproducers_to.clone();
        Self { targets, translation, folder: ReproducerFolder::new(top) }
    }

    /// Saves a reproducer and adds its place to the error, or the reason why it could not be saved.
    pub(crate) fn save(&mut self, job: &Job, loss: &Loss, error: Error) -> Error {
        ReproducerFolder::note(self.write(job, loss), error)
    }

    fn write(&mut self, job: &Job, loss: &Loss) -> Result<PathBuf> {
        let target = &self.targets[job.target];
        let member = &job.members[0];
        let variant = member.variant.clone().unwrap_or_else(|| target.variant_name());
        let folder = self.folder.make(&member.name, &variant)?;
        // The code of a variant is in its executable.
        let whole = member.variant.as_ref().and_then(|_| job.op.parent()).unwrap_or(job.op);
        let text = write_standalone(Executable { op: whole }, false);
        write_atomically(&folder.join("executable.mlir"), &text)?;
        let words = self.words(target, member.variant.is_some());
        ReproducerFolder::write_replay(&folder, "`hal-translate`", &words, &crate::version())?;
        let said = format!("the worker {}\n{}", loss.how.words(), loss.said);
        write_atomically(&folder.join("said.txt"), said.as_bytes())?;
        Ok(folder)
    }

    /// The command that translates `executable.mlir` again.
    fn words(&self, target: &Target, whole: bool) -> Vec<String> {
        let options = &self.translation.options;
        let code = targets::of(target);
        let kind = format!("--emit={}", code.object_kind());
        let object = format!("executable.{}", code.suffix(Code::Obj).expect("every target has objects"));
        let emit = if whole { "--emit=bytecode" } else { &kind };
        let mut words = vec!["hal-translate".to_owned(), "executable.mlir".into(), emit.into()];
        words.extend(halyard_ir::plugin_words());
        words.extend(self.translation.pipelines.of(target).words().iter().cloned());
        words.push(format!("--target={target}"));
        words.push(format!("-O{}", options.opt_level));
        words.extend(options.fast_words());
        words.extend(self.translation.containment.limits());
        words.push("--reproducers-to=replayed".into());
        words.push("-o".into());
        words.push(if whole { "objects.mlirbc" } else { &object }.into());
        words
    }
}
