//! Stages in Python: functions that make transform scripts, and functions that are whole stages. One interpreter, the user's own,
//! runs all of them; [`Interpreter`] talks to it, `shim.py` is what it runs.

mod interpreter;
mod whole;

pub(super) use interpreter::{Interpreter, Module};
pub(super) use whole::Whole;

use super::{
    file::FileStage,
    reading::{Found, Reading, Settings},
};
use crate::grammar::{FileText, OptionSetting, OptionValue};
use halyard_diag::{Error, Result, Source, Span};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// The file of a stage in Python.
#[derive(Debug, Clone)]
pub(super) struct Script {
    /// What messages call it, and where it is.
    path: String,
    /// Its text, if it is not on disk.
    source: Option<String>,
}

/// What a stage in Python turns out to be.
pub(super) enum Made {
    /// The MLIR that a generator made.
    TransformScript(FileStage, Vec<u8>),
    /// A function that is the stage.
    Whole(Whole),
}

/// A function as the interpreter describes it.
#[derive(Debug, Deserialize)]
pub(super) struct Function {
    /// Its name.
    pub(super) name: String,
    /// Name and arguments.
    pub(super) signature: String,
    /// Its documentation.
    pub(super) doc: String,
}

impl Script {
    pub(super) fn new(found: &Found) -> Self {
        let source = found.built_in.then(|| String::from_utf8_lossy(&found.bytes).into_owned());
        Self { path: found.path.display().to_string(), source }
    }

    /// A question about it.
    fn ask(&self, what: &str, function: Option<&str>, whole: bool, options: &Settings, text: Option<&str>) -> Json {
        let options: serde_json::Map<String, Json> =
            options.all.iter().map(|s| (s.name.clone(), to_json(&s.value))).collect();
        json!({
            "do": what, "path": self.path, "source": self.source, "function": function, "whole": whole, "options": options,
            "text": text,
        })
    }

    /// What stands in it, if that can still be read.
    fn text(&self) -> Option<String> {
        self.source.clone().or_else(|| std::fs::read_to_string(&self.path).ok())
    }

    /// The place of a line.
    fn line(&self, line: usize) -> Option<Span> {
        let source = Source::new(&*self.path, self.text()?);
        let start = source.offset(line, 1)?;
        let whole = source.text[start..].lines().next().unwrap_or_default();
        let indent = whole.len() - whole.trim_start().len();
        Some(Span::new(&source, start + indent..start + whole.trim_end().len().max(indent)))
    }
}

fn to_json(value: &OptionValue) -> Json {
    match value {
        OptionValue::None => Json::Null,
        OptionValue::Bool(b) => json!(b),
        OptionValue::Int(n) => json!(n),
        OptionValue::Float(n) => json!(n),
        OptionValue::String(s) => json!(s),
        OptionValue::List(items) => items.iter().map(to_json).collect(),
    }
}

/// Runs the generator of a stage, or checks the function that is the stage. Errors: no such function, options that it does
/// not take or lacks, what it raises.
pub(super) fn make(
    interpreter: &Arc<Interpreter>,
    reading: &Reading<'_>,
    text: &FileText,
    found: &Found,
) -> Result<Made> {
    let script = Script::new(found);
    let options = Settings { source: reading.source.clone(), all: text.options.settings.clone() };
    let (function, whole) = match (&text.generator, &text.whole) {
        (_, Some(name)) => (Some(name), true),
        (name, None) => (name.as_ref(), false),
    };
    let asker = Asker {
        script: &script,
        options: &options,
        stage: &text.text,
        at: reading.span(function.map_or_else(|| text.path.at.clone(), |f| f.at.clone())),
    };
    let ask = script.ask("check", function.map(|f| f.text.as_str()), whole, &options, None);
    let reply = interpreter.ask(&asker, &ask)?;
    if reply.whole {
        if let Some(more) = text.parameters.settings.first() {
            let settings = Settings { source: reading.source.clone(), all: text.parameters.settings.clone() };
            return Err(Error::usage(format!("`{}` is a whole stage: it has options, not parameters", reply.name))
                .code("unknown-name")
                .at(settings.name_span(more)));
        }
        if let Some(pick) = &text.pick {
            return Err(Error::usage(format!("`{}` is a whole stage: it has no sequence", reply.name))
                .code("unknown-name")
                .at(reading.span(pick.at.clone())));
        }
        let at = asker.at.clone();
        let (interpreter, text, function) = (interpreter.clone(), text.text.clone(), reply.name);
        return Ok(Made::Whole(Whole { interpreter, script, options, text, function, at }));
    }
    let path = format!("{}[gen={}]", script.path, reply.name).into();
    Ok(Made::TransformScript(FileStage::new(reading, text, path), reply.bytes))
}

/// Asks what a file has. Errors: what it raises when it is loaded.
pub(super) fn describe(reading: &Reading<'_>, found: &Found) -> Result<Module> {
    let script = Script::new(found);
    let options = Settings { source: reading.source.clone(), all: Vec::new() };
    let stage = found.path.display().to_string();
    let asker =
        Asker { script: &script, options: &options, stage: &stage, at: reading.span(0..reading.source.text.len()) };
    reading.python.describe(&asker)
}

/// Who asks, for messages.
pub(super) struct Asker<'a> {
    script: &'a Script,
    options: &'a Settings,
    /// The stage as written.
    stage: &'a str,
    /// Its place.
    at: Span,
}

impl Asker<'_> {
    fn option(&self, name: &str) -> Option<&OptionSetting> {
        self.options.all.iter().find(|s| s.name == name)
    }
}
