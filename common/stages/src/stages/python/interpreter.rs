//! The interpreter: started when first asked, ended with the last stage that may ask again.
use super::{Asker, Function, Script};
use crate::stages::PackedFile;
use halyard_diag::{Error, Result};
use halyard_exec::{Coprocess, ExitOutcome, Tool};
use serde::Deserialize;
use serde_json::Value as Json;
use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

const SHIM: &str = include_str!("shim.py");
/// The variable that names another interpreter than the `python3` on `PATH`.
const VARIABLE: &str = "HALYARD_PYTHON";

/// The user's Python.
#[derive(Debug, Default)]
pub(in super::super) struct Interpreter {
    running: Mutex<Option<Coprocess>>,
    limit: Option<Duration>,
}

/// What a function made, or what it is.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) whole: bool,
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// What a file has.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Module {
    /// Its documentation.
    pub(in super::super) doc: String,
    /// Its public functions.
    pub(in super::super) functions: Vec<Function>,
}

/// A line from the interpreter.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reply {
    Fault(Fault),
    Bytes { whole: bool, name: String, bytes: String },
    Text { whole: bool, name: String, text: String },
    Checked { whole: bool, name: String },
    Files { files: Vec<[String; 3]> },
    Module(Module),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "fault", rename_all = "lowercase")]
enum Fault {
    Ambiguous,
    Function { name: String, known: Vec<Function> },
    Whole { signature: String },
    Options { unknown: Vec<String>, missing: Vec<String>, signature: String, name: String, options: Vec<String> },
    Result { name: String, what: String },
    Exception { line: Option<usize>, error: String, said: String },
}

impl Interpreter {
    /// The one of this process while someone keeps it, else one that is not started yet; each answer may take as long as
    /// `limit`.
    pub(in super::super) fn shared(limit: Option<Duration>) -> Arc<Self> {
        static SHARED: Mutex<Weak<Interpreter>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = shared.upgrade().filter(|i| i.limit == limit) {
            return there;
        }
        let new = Arc::new(Self { running: Mutex::default(), limit });
        *shared = Arc::downgrade(&new);
        new
    }

    /// Asks about a function. Errors: no interpreter, one that ends, what is wrong with function and options, what the
    /// function raises.
    pub(super) fn ask(&self, asker: &Asker<'_>, ask: &Json) -> Result<Made> {
        match self.exchange(asker, ask)? {
            Reply::Text { whole, name, text } => Ok(Made { whole, name, bytes: text.into_bytes() }),
            Reply::Checked { whole, name } => Ok(Made { whole, name, bytes: Vec::new() }),
            Reply::Bytes { whole, name, bytes } => {
                let bytes = unhex(&bytes).ok_or_else(|| nonsense(asker, &bytes))?;
                Ok(Made { whole, name, bytes })
            }
            Reply::Fault(fault) => Err(fault_error(asker, fault)),
            Reply::Module(_) | Reply::Files { .. } => Err(nonsense(asker, "a description")),
        }
    }

    /// Asks what a file has. Errors: as [`Interpreter::ask`].
    pub(super) fn describe(&self, asker: &Asker<'_>) -> Result<Module> {
        match self.exchange(asker, &asker.script.ask("describe", None, false, asker.options, None))? {
            Reply::Module(module) => Ok(module),
            Reply::Fault(fault) => Err(fault_error(asker, fault)),
            other => Err(nonsense(asker, &format!("{other:?}"))),
        }
    }

    /// The file of a stage, and those beside it that it has imported; only itself, where the interpreter does not answer.
    pub(super) fn files(&self, asker: &Asker<'_>) -> Vec<PackedFile> {
        let ask = asker.script.ask("files", None, false, asker.options, None);
        if let Ok(Reply::Files { files }) = self.exchange(asker, &ask) {
            let unpacked = |[name, shown, bytes]: [String; 3]| Some(PackedFile { name, shown, bytes: unhex(&bytes)? });
            return files.into_iter().filter_map(unpacked).collect();
        }
        let shown = asker.script.path.clone();
        let name = shown.rsplit('/').next().unwrap_or(&shown).to_owned();
        let bytes = asker.script.text().unwrap_or_default().into_bytes();
        vec![PackedFile { name, shown, bytes }]
    }

    fn exchange(&self, asker: &Asker<'_>, ask: &Json) -> Result<Reply> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // A fork of the process that started it has to have one of its own.
        if running.as_ref().is_none_or(|c| !c.is_ours()) {
            *running = Some(start().map_err(|e| e.at(asker.at.clone()))?);
        }
        let coprocess = running.as_mut().expect("it was started");
        match coprocess.ask(&ask.to_string(), self.limit) {
            Ok(line) => serde_json::from_str(&line).map_err(|_| nonsense(asker, &line)),
            Err(ending) => {
                *running = None;
                let words = match ending {
                    ExitOutcome::Exit(code) => format!("ended with exit code {code} before it answered"),
                    other => other.words(),
                };
                Err(Error::tool(format!("`{}` failed: Python {words}", asker.stage))
                    .code("python-failed")
                    .at(asker.at.clone()))
            }
        }
    }
}

fn start() -> Result<Coprocess> {
    let named = std::env::var(VARIABLE).ok().filter(|v| !v.is_empty());
    let install = format!("install Python 3, or set `{VARIABLE}` to an interpreter");
    let tool = Tool::find(named.as_deref().unwrap_or("python3"), &install)?;
    Coprocess::start(&tool, &["-c".into(), SHIM.into()])
}

/// The error for what is wrong with a stage in Python.
fn fault_error(asker: &Asker<'_>, fault: Fault) -> Error {
    let path = &asker.script.path;
    let at = asker.at.clone();
    match fault {
        Fault::Ambiguous => Error::usage(format!("`{path}` has a generator `create_schedule` and a whole stage `run`"))
            .code("ambiguous-stage")
            .at(at)
            .hint("choose one: `[gen=create_schedule]` or `[run=run]`"),
        Fault::Function { name, known } => {
            let error = Error::usage(format!("`{path}` has no function `{name}`")).code("unknown-name").at(at);
            if known.is_empty() {
                return error.note("it has no functions");
            }
            let list: Vec<_> = known.iter().map(|f| format!("`{}`", f.signature)).collect();
            let error = error.note(format!("it has {}", list.join(", ")));
            match halyard_diag::nearest(&name, known.iter().map(|f| f.name.as_str())).first() {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint("name one: `FILE.py[gen=FUNCTION]`, or `FILE.py[run=FUNCTION]` for a whole stage"),
            }
        }
        Fault::Whole { signature } => {
            Error::usage(format!("`{signature}` cannot be a whole stage: it takes no module"))
                .code("bad-stage")
                .at(at)
                .hint("write `def run(module_text, **options) -> str`")
        }
        Fault::Options { unknown, missing, signature, name, options } => {
            let error = match unknown.first().and_then(|u| asker.option(u)) {
                Some(setting) => asker.options.unknown(setting, "option", &format!("function `{name}`"), &options),
                None => Error::usage(format!("option `{}` of function `{name}` needs a value", missing.join("`, `")))
                    .code("missing-parameter")
                    .at(at),
            };
            error.note(format!("the function is `{signature}`"))
        }
        Fault::Result { name, what } => Error::tool(format!("`{name}` of `{path}` returned {what}"))
            .code("python-failed")
            .at(at)
            .note("it has to return MLIR: a text, or anything whose `str()` is MLIR"),
        Fault::Exception { line, error, said } => {
            let at = line.and_then(|l| Script::line(asker.script, l)).unwrap_or(at);
            Error::tool(format!("`{}` failed: {error}", asker.stage))
                .code("python-failed")
                .at(at)
                .note(said.trim_end().to_owned())
        }
    }
}

fn nonsense(asker: &Asker<'_>, said: &str) -> Error {
    let said: String = said.chars().take(200).collect();
    Error::tool(format!("`{}` failed: Python answered what is not understood", asker.stage))
        .code("python-failed")
        .at(asker.at.clone())
        .note(format!("it was `{said}`"))
}

/// Decodes what Python's `bytes.hex` writes.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
    text.as_bytes().chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect()
}
