//! Stages that are transform scripts: one named sequence, applied to the module.
use super::{
    file::{FileStage, MlirFile},
    kernels::Brought,
    matchers::Matchers,
    parameters,
    report::{Finding, Matching, tell},
    sequences::sequences,
};
use halyard_diag::{Diagnostic, Error, Label, Result, Severity};
use halyard_ir::{Op, Session};

/// The sequence that runs where none is named, as in upstream's interpreter.
const MAIN: &str = "__transform_main";

/// A transform script that is known to parse and to have its sequence.
#[derive(Debug)]
pub(crate) struct TransformScript {
    /// Its pick is the sequence that runs.
    pub(super) file: MlirFile,
}

impl TransformScript {
    /// Picks the sequence: the one that is named, else `__transform_main`, else the only one. Errors: no such sequence; one
    /// that is declared only, or takes more than the module.
    pub(super) fn check(session: &Session, root: Op, mut stage: FileStage, bytes: Vec<u8>) -> Result<Self> {
        let all = sequences(root);
        let known: Vec<String> = all.iter().filter_map(|s| s.symbol()).collect();
        let wanted = wanted(stage.pick.as_deref(), &known);
        let Some(found) = all.iter().find(|s| s.symbol().as_deref() == Some(&*wanted)) else {
            let error = stage.unknown("sequence", &wanted, &known);
            return Err(if stage.pick.is_none() { error.hint("name one: `FILE.mlir[seq=NAME]`") } else { error });
        };
        let place = |error: Error| error.at(session.span(*found));
        if found.body().is_none() {
            let message = format!("sequence `@{wanted}` is declared, not defined");
            return Err(place(Error::input(message).code("bad-schedule")));
        }
        parameters::bind(session, root, *found, &stage.parameters)?;
        check_crashes(session, root)?;
        if !root.verify() {
            return Err(session.error("the schedule does not verify with these parameters"));
        }
        stage.pick = Some(wanted);
        Ok(Self { file: MlirFile::new(stage, bytes) })
    }

    /// Applies it to a module. Errors: what MLIR says, with the places of the step and of the operation that it failed on;
    /// a result that does not verify; nothing that matches, if there must be something.
    pub(super) fn run(&self, session: &Session, module: Op, how: Matching) -> Result<()> {
        let script = self.file.parse(session)?;
        let root = Op::from(&script);
        let sequence = sequences(root).into_iter().find(|s| s.symbol() == self.file.pick);
        let sequence = sequence.expect("it was there when the stage was checked");
        let sequence = parameters::bind(session, root, sequence, &self.file.parameters)?;
        let brought = Brought::into(session, module, root)?;
        let matchers = Matchers::mark(root, sequence, how);
        let watched = matchers.watch(module);
        let (result, marks) = session.apply_sequence(module, sequence, root);
        let last = matchers.last_match(session, &watched, &marks);
        let found = !marks.is_empty();
        let findings = result.map(|()| matchers.findings(session, root, &watched, &marks));
        watched.done();
        let findings = findings.map_err(|e| self.failed(e, last))?;
        brought.tidy(module);
        self.file.verify_result(session, module)?;
        if matchers.is_empty() || (matchers.is_quiet() && found) {
            Ok(())
        } else {
            tell(session, &self.file.text, &matchers.names(), findings, how)
        }
    }

    /// `last` is what matched last, which the step that failed was probably about.
    fn failed(&self, mut error: Error, last: Option<Finding>) -> Error {
        let failed = format!("`{}` failed", self.file.text);
        let Some(first) = error.diagnostics.iter_mut().find(|d| d.severity == Severity::Error) else {
            error.diagnostics.push(Diagnostic::error(failed).code("schedule-failed"));
            return error;
        };
        first.message = format!("{failed}: {}", first.message);
        first.code = Some("schedule-failed");
        if let Some(found) = last {
            let text = format!("`{}` matched {}", found.by, found.op);
            match found.at {
                Some(span) => first.labels.push(Label { span, text }),
                None => first.notes.push(text),
            }
        }
        error
    }
}

/// The name of the sequence that runs: the one that is named, else the only one, else the main one.
pub(super) fn wanted(pick: Option<&str>, known: &[String]) -> String {
    match (pick, known) {
        (Some(name), _) => name.to_owned(),
        (None, [only]) => only.clone(),
        (None, _) => MAIN.to_owned(),
    }
}

/// Fails for what would crash MLIR 22: tile sizes of type `!transform.any_param` in `tile_using_for`, and sizes that are
/// no integers in `tile_using_forall`. After parameters are bound.
fn check_crashes(session: &Session, root: Op) -> Result<()> {
    let mut bad = None;
    root.walk(&mut |op| {
        let any: Vec<_> =
            op.operands().into_iter().skip(1).filter(|v| v.ty().to_string() == "!transform.any_param").collect();
        if bad.is_some() || any.is_empty() {
            return;
        }
        if op.is("transform.structured.tile_using_for") {
            bad = Some((op, "tile sizes of type `!transform.any_param` crash MLIR 22"));
        }
        let no_integer = |v: &halyard_ir::Value| {
            let value = v.def().and_then(|d| d.attr("value").or_else(|| d.attr("selected")));
            value.is_some_and(|a| a.as_int().is_none())
        };
        if op.is("transform.structured.tile_using_forall") && any.iter().any(no_integer) {
            bad = Some((op, "tile sizes that are no integers crash MLIR 22"));
        }
    });
    let Some((op, message)) = bad else { return Ok(()) };
    let error = Error::input(message).code("bad-schedule");
    Err(error.at(session.span(op)).hint("use `!transform.param<i64>`"))
}
