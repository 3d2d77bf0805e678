//! A stage that is a file of MLIR, as the command line names it.
use super::reading::{Reading, Settings};
use crate::grammar::FileText;
use halyard_diag::{Error, Span};
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
}

/// The error for a name that is not among those of a file.
pub(super) fn unknown(stage: &FileStage, what: &str, name: &str, known: &[String]) -> Error {
    let list: Vec<_> = known.iter().map(|k| format!("`@{k}`")).collect();
    let error = Error::usage(format!("`{}` has no {what} `@{name}`", stage.path.display()))
        .code("unknown-name")
        .at(stage.pick_span.clone())
        .note(format!("it has {}", list.join(", ")));
    match halyard_diag::nearest(name, known.iter().map(String::as_str)).first() {
        Some(near) => error.hint(format!("did you mean `@{near}`?")),
        None => error,
    }
}
