//! Stages that are MLIR: schedules and patterns. Which it is is told by what stands in the file.
use super::{
    Stage,
    examples::{Examples, examples},
    patterns::Patterns,
    reading::{Reading, Settings},
    schedule::Schedule,
};
use crate::grammar::FileText;
use halyard_diag::{Error, Result, Span};
use halyard_ir::{Op, Session};
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

    /// Checks that the text holds what is asked for. Errors: no MLIR, neither a schedule nor patterns, an unknown name,
    /// parameters that do not fit.
    pub(super) fn load(self, session: &Session, bytes: Vec<u8>) -> Result<Stage> {
        let name = self.path.display().to_string();
        let module = session.parse_beside(&bytes, &name).map_err(|mut e| {
            // No pipe leads here.
            if let Some(d) = e.diagnostics.iter_mut().find(|d| d.code == Some("empty-input")) {
                d.message = format!("`{name}` is empty");
                d.hints.clear();
            }
            e
        })?;
        session.take_diagnostics();
        let root = Op::from(&module);
        let (mut sequences, mut patterns) = (false, false);
        root.walk(&mut |op| {
            sequences |= op.is("transform.named_sequence");
            patterns |= op.is("pdl.pattern");
        });
        match (sequences, patterns) {
            (true, _) => Schedule::check(session, root, self, bytes).map(Stage::Schedule),
            (false, true) => Patterns::check(session, root, self, bytes).map(Stage::Patterns),
            (false, false) if !examples(root).is_empty() => {
                Examples::check(session, root, self, bytes).map(Stage::Examples)
            }
            (false, false) => {
                Err(Error::input(format!("`{name}` contains neither a transform script nor PDL patterns nor examples"))
                    .code("not-a-stage")
                    .at(self.span)
                    .note("a schedule is a module with `transform.named_sequence`; patterns are `pdl.pattern`; examples are functions with `hal.replaced_by`"))
            }
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
