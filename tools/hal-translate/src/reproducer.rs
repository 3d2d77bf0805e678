//! Saves the files that reproduce a crash elsewhere: a folder per executable and target.
//!
//! - `executable.mlir`: the executable as a separate module;
//! - `replay`: a script that translates it with the same target, options and limits;
//! - `said.txt`: the output of the worker, with a backtrace if it crashed;
//! - `versions.txt`.
use crate::{Translation, job::Job, llvm::Code, target::Target, targets};
use halyard_cli::write_atomically;
use halyard_diag::{Error, Result, quote};
use halyard_exec::{Loss, Scratch};
use halyard_ir::form::{Executable, escape_symbol, write_standalone};
use std::path::{Path, PathBuf};

/// The folder for reproducers; it is created for the first one.
pub(crate) struct Reproducers<'a> {
    targets: &'a [Target],
    translation: &'a Translation,
    folder: Option<PathBuf>,
}

impl<'a> Reproducers<'a> {
    pub(crate) fn new(targets: &'a [Target], translation: &'a Translation) -> Self {
        Self { targets, translation, folder: translation.containment.reproducers_to.clone() }
    }

    /// Saves a reproducer and adds its place to the error, or the reason why it could not be saved.
    pub(crate) fn save(&mut self, job: &Job, loss: &Loss, error: Error) -> Error {
        match self.write(job, loss) {
            Ok(folder) => {
                error.note(format!("to reproduce it, run `{}`", quote(&folder.join("replay").display().to_string())))
            }
            Err(e) => error.note(format!("a reproducer could not be saved: {e}")),
        }
    }

    fn write(&mut self, job: &Job, loss: &Loss) -> Result<PathBuf> {
        let top = match &self.folder {
            Some(folder) => folder.clone(),
            None => self.folder.insert(Scratch::new("reproducers")?.keep()).clone(),
        };
        let target = &self.targets[job.target];
        let member = &job.members[0];
        let variant = member.variant.clone().unwrap_or_else(|| target.variant_name());
        let name = format!("{}.{}", escape_symbol(&member.name), escape_symbol(&variant));
        let folder = top.join(name);
        std::fs::create_dir_all(&folder).map_err(|e| Error::io("make the folder", &folder, &e))?;
        // The code of a variant is in its executable.
        let whole = member.variant.as_ref().and_then(|_| job.op.parent()).unwrap_or(job.op);
        let text = write_standalone(Executable { op: whole }, false);
        write_atomically(&folder.join("executable.mlir"), &text)?;
        write_atomically(&folder.join("replay"), self.script(target, member.variant.is_some()).as_bytes())?;
        executable(&folder.join("replay"))?;
        let said = format!("the worker {}\n{}", loss.how.words(), loss.said);
        write_atomically(&folder.join("said.txt"), said.as_bytes())?;
        write_atomically(&folder.join("versions.txt"), crate::version().as_bytes())?;
        Ok(folder)
    }

    fn script(&self, target: &Target, whole: bool) -> String {
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
        let line: Vec<_> = words.iter().map(|w| quote(w).to_string()).collect();
        format!(
            "#!/bin/sh\n# Needs `hal-translate` on PATH; see versions.txt. Arguments are added to it.\nset -e\ncd \"$(dirname \"$0\")\"\nexec {} \"$@\"\n",
            line.join(" ")
        )
    }
}

fn executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(|e| Error::io("make executable", path, &e))
}
