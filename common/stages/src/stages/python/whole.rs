//! A function in Python that is a whole stage: text of a module in, text of a module out.
use super::{Asker, Interpreter, Script};
use crate::stages::{StandaloneStage, reading::Settings};
use halyard_diag::{Error, Result, Span};
use halyard_ir::{Op, Session, form::print};
use std::sync::Arc;

/// The function, known to be there and to take its options.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(super) interpreter: Arc<Interpreter>,
    pub(super) script: Script,
    pub(super) options: Settings,
    pub(super) text: String,
    pub(super) function: String,
    pub(super) at: Span,
}

impl Whole {
    /// What it is called in reports.
    pub(in super::super) fn name(&self) -> &str {
        &self.text
    }

    /// The function by itself, with the modules beside its file that have been imported so far.
    pub(in super::super) fn standalone(&self) -> StandaloneStage {
        let asker = Asker { script: &self.script, options: &self.options, stage: &self.text, at: self.at.clone() };
        let files = self.interpreter.files(&asker);
        let name = files.first().map_or_else(|| "stage.py".to_owned(), |f| f.name.clone());
        StandaloneStage { text: format!("{name}[run={}]{}", self.function, self.options.braces()), files }
    }

    /// Runs it on a module. Errors: what the function raises; a result that is no module or does not verify.
    pub(in super::super) fn run(&self, session: &Session, module: Op) -> Result<()> {
        let asker = Asker { script: &self.script, options: &self.options, stage: &self.text, at: self.at.clone() };
        let text = print(module);
        let ask = self.script.ask("call", Some(&self.function), true, &self.options, Some(&text));
        let made = self.interpreter.ask(&asker, &ask)?;
        let name = format!("{}[run={}]", self.script.path, self.function);
        let result = session.parse_beside(&made.bytes, &name).map_err(|mut e| {
            if let Some(first) = e.diagnostics.first_mut() {
                first.hints.clear();
                first.message = format!("what `{}` returned is not valid: {}", self.text, first.message);
            }
            Error { kind: halyard_diag::ErrorKind::Tool, ..e }
        })?;
        take_over(module, Op::from(&result));
        Ok(())
    }
}

/// Gives a module the contents and attributes of another one.
fn take_over(module: Op, result: Op) {
    let (Some(body), Some(new)) = (module.body(), result.body()) else { return };
    for op in body.ops().into_iter().rev() {
        op.erase();
    }
    for op in new.ops() {
        op.detach();
        body.append(op);
    }
    let attrs = result.attrs();
    for (name, _) in module.attrs() {
        if !attrs.iter().any(|(n, _)| *n == name) {
            module.remove_attr(&name);
        }
    }
    for (name, value) in attrs {
        module.set_attr(&name, value);
    }
}
