//! A stage that is a file of MLIR, as the command line names it.
use super::reading::{Reading, Settings};
use crate::grammar::FileText;
use halyard_diag::{Error, Result, Span};
use halyard_ir::{Module, Op, Session};
use std::path::PathBuf;

/// A stage that is a file of MLIR, or MLIR that a generator made.
#[derive(Debug)]
pub(super) struct FileStage {
    /// What messages call the file.
    pub(super) path: PathBuf,
    /// The name in brackets: of a sequence or a pattern.
    pub(super) pick: Option<String>,
    /// All of it, as written.
    pub(super) text: String,
    /// Its place.
    pub(super) span: Span,
    /// The place of the name in brackets.
    pub(super) pick_span: Span,
    /// What its parameters are.
    pub(super) parameters: Settings,
}

impl FileStage {
    /// Takes the text of a stage.
    pub(super) fn new(reading: &Reading<'_>, text: &FileText, path: PathBuf) -> Self {
        let span = reading.span(text.path.at.clone());
        Self {
            path,
            pick: text.pick.as_ref().map(|p| p.text.clone()),
            text: text.text.clone(),
            pick_span: text.pick.as_ref().map_or_else(|| span.clone(), |p| reading.span(p.at.clone())),
            span,
            parameters: Settings { source: reading.source.clone(), all: text.parameters.settings.clone() },
        }
    }
    /// Fails if the name in brackets is not among those of the file.
    pub(super) fn check_pick(&self, what: &str, known: &[String]) -> Result<()> {
        match self.pick.as_ref().filter(|name| !known.contains(name)) {
            Some(name) => Err(self.unknown(what, name, known)),
            None => Ok(()),
        }
    }

    /// The error for a name that is not among those of the file.
    pub(super) fn unknown(&self, what: &str, name: &str, known: &[String]) -> Error {
        let list: Vec<_> = known.iter().map(|k| format!("`@{k}`")).collect();
        let error = Error::usage(format!("`{}` has no {what} `@{name}`", self.path.display()))
            .code("unknown-name")
            .at(self.pick_span.clone())
            .note(format!("it has {}", list.join(", ")));
        match halyard_diag::nearest(name, known.iter().map(String::as_str)).first() {
            Some(near) => error.hint(format!("did you mean `@{near}`?")),
            None => error,
        }
    }

    /// Fails with a reason if there are parameters.
    pub(super) fn refuse_parameters(&self, why: &str) -> Result<()> {
        let Some(first) = self.parameters.all.first() else { return Ok(()) };
        let owner = format!("`{}`", self.path.display());
        Err(self.parameters.unknown(first, "parameter", &owner, &[]).note(why))
    }
}

/// The MLIR of a stage that was checked.
#[derive(Debug)]
pub(super) struct MlirFile {
    /// The stage as written, by which reports name it.
    pub(super) text: String,
    /// What messages call the file.
    pub(super) path: String,
    /// The contents.
    pub(super) bytes: Vec<u8>,
    /// The name of the sequence, pattern or example that is chosen; `None` for all.
    pub(super) pick: Option<String>,
    /// What the parameters of a sequence are.
    pub(super) parameters: Settings,
}

impl MlirFile {
    /// Keeps of a stage what it runs with.
    pub(super) fn new(stage: FileStage, bytes: Vec<u8>) -> Self {
        let FileStage { path, pick, text, parameters, .. } = stage;
        Self { text, path: path.display().to_string(), bytes, pick, parameters }
    }

    /// Parses it again.
    pub(super) fn parse<'s>(&self, session: &'s Session) -> Result<Module<'s>> {
        session.parse_beside(&self.bytes, &self.path)
    }

    /// Fails if the stage left a module that does not verify.
    pub(super) fn verify_result(&self, session: &Session, module: Op) -> Result<()> {
        if module.verify() {
            return Ok(());
        }
        Err(session.error("the module does not verify").note(format!("it did before `{}` ran", self.text)))
    }
}
