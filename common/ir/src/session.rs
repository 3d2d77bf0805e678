//! An MLIR context with diagnostics in Halyard's form.
use crate::{
    handles::{Op, erased::FreesErased, string_ref},
    pass_manager::KnownPipelines,
    places::{bridge, buffer_name, file_line_column, span_of, text_of},
};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result, Severity, Source, Span, looks_like, what_to_do};
use melior::{
    Context,
    diagnostic::DiagnosticSeverity,
    dialect::DialectRegistry,
    utility::{register_all_dialects, register_all_llvm_translations},
};
use mlir_sys::*;
use std::{cell::RefCell, rc::Rc, sync::Arc};

unsafe extern "C" {
    /// `mlirModuleCreateParse`, which aborts where that throws.
    fn hal_mlir_parse(context: MlirContext, text: MlirStringRef) -> MlirModule;
}

/// A module that owns its IR.
pub type Module<'s> = melior::ir::Module<'s>;

#[derive(Default)]
struct Messages {
    /// Diagnostics of MLIR since the last [`Session::take_diagnostics`].
    said: Vec<Diagnostic>,
    /// Texts that were parsed, by the name that locations carry.
    sources: Vec<Arc<Source>>,
    /// Remarks that begin with the mark, with their places, while someone collects them; see [`Session::marked`].
    marks: Option<Vec<(MlirLocation, String)>>,
}

/// The prefix of remarks that are meant for Halyard's code, not for people.
pub const MARK: &str = "hal.mark ";

/// An MLIR context with all upstream dialects, its diagnostics bridged. One per thread; nothing of it crosses threads.
pub struct Session {
    /// Pipelines that were run before; destroyed before the context.
    pipelines: KnownPipelines,
    /// Frees the operations that were erased; destroyed before the context.
    _erased: FreesErased,
    pub(crate) context: Context,
    messages: Rc<RefCell<Messages>>,
}

/// Whether bytes are MLIR bytecode (magic number `ML\xefR`, see MLIR's bytecode format).
pub fn is_bytecode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ML\xefR")
}

/// Makes the error for an input that is not MLIR, with its kind if that can be detected.
fn not_mlir(bytes: &[u8], why: &str, name: &str) -> Error {
    let error = Error::input(match looks_like(bytes) {
        Some(kind) => format!("the input is not MLIR: it looks like {kind}"),
        None => format!("the input is neither MLIR text ({why}) nor MLIR bytecode"),
    });
    let error = error.in_file(name).code("not-mlir");
    match what_to_do(bytes) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// Makes a context with all upstream dialects, and those of plugins. It is single-threaded: Halyard parallelises
    /// over executables, each with its own session.
    pub fn new() -> Self {
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        crate::plugins::register_dialects(&registry);
        let context = Context::new_with_registry(&registry, false);
        register_all_llvm_translations(&context);
        let messages = Rc::new(RefCell::new(Messages::default()));
        let sink = messages.clone();
        context.attach_diagnostic_handler(move |d| {
            let mut messages = sink.borrow_mut();
            if let (Some(marks), DiagnosticSeverity::Remark) = (&mut messages.marks, d.severity()) {
                let text = text_of(&d);
                if let Some(mark) = text.strip_prefix(MARK) {
                    marks.push((d.location().to_raw(), mark.to_owned()));
                    return true;
                }
            }
            let diagnostic = bridge(&d, &messages.sources);
            messages.said.push(diagnostic);
            true
        });
        Self { pipelines: KnownPipelines::default(), _erased: FreesErased(context.to_raw()), context, messages }
    }

    /// The session of a tool, which lives until the process ends: taking a context and a model apart takes milliseconds
    /// that nobody gains from.
    pub fn until_exit() -> &'static Self {
        Box::leak(Box::default())
    }

    /// Returns melior's context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the C API's context.
    pub fn raw(&self) -> MlirContext {
        self.context.to_raw()
    }

    /// Parses text or bytecode. `name` is what messages call it. Errors: nothing in it, a syntax error, IR that does not
    /// verify.
    pub fn parse(&self, bytes: &[u8], name: &str) -> Result<Module<'_>> {
        if is_bytecode(bytes) {
            return crate::damaged::reading(name, || self.parse_raw(bytes, name));
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(not_mlir(bytes, "it is not UTF-8", name));
        };
        self.parse_source(&Source::new(name, text))
    }

    /// Parses text that is known as a source (a chunk of a split file, say).
    pub fn parse_source(&self, source: &Arc<Source>) -> Result<Module<'_>> {
        // MLIR's lexer takes zero bytes for blanks: a file of zeros, as a crash of the machine leaves it, would be an empty module.
        if looks_like(source.text.as_bytes()).is_some() {
            return Err(not_mlir(source.text.as_bytes(), "it is a file of another kind", &source.name));
        }
        if source.text.contains('\0') {
            return Err(not_mlir(source.text.as_bytes(), "it holds zero bytes", &source.name));
        }
        if let Some(at) = crate::depth::too_deep(&source.text) {
            let error = Error::input("the text is nested too deep").code("too-deep");
            return Err(error.at(Span::new(source, at..at + 1)).note("at most 500 brackets may be open at once"));
        }
        let blank = source.text.lines().all(|l| l.trim().is_empty() || l.trim_start().starts_with("//"));
        if blank {
            return Err(Error::input("the input is empty")
                .in_file(&source.name)
                .code("empty-input")
                .hint("did the previous command of the pipe fail?"));
        }
        self.take_diagnostics();
        self.messages.borrow_mut().sources.push(source.clone());
        if starts_with_a_module(&source.text)
            && let Some(module) = self.parse_module(source)?
        {
            return Ok(module);
        }
        self.parse_raw(source.text.as_bytes(), &source.name)
    }

    /// Parses text that is one module and gives its buffer a unique name, so that places of several texts stay apart.
    /// Returns `None` if the text has several top-level operations.
    fn parse_module(&self, source: &Arc<Source>) -> Result<Option<Module<'_>>> {
        let text = terminated(source.text.as_bytes());
        let length = source.text.len();
        let (text, buffer) = (MlirStringRef { data: text.as_ptr().cast(), length }, buffer_name(source));
        // SAFETY: the context is live and the text is `length` readable bytes followed by a zero.
        let op = unsafe { mlirOperationCreateParse(self.raw(), text, string_ref(&buffer)) };
        if op.ptr.is_null() {
            let error = self.error("the input is not valid MLIR");
            let several =
                error.diagnostics.iter().any(|d| d.message.contains("must contain a single top-level operation"));
            return if several { Ok(None) } else { Err(error.map_origin(&source.name)) };
        }
        if !Op(op).is("builtin.module") {
            Op(op).erase();
            return Ok(None);
        }
        // SAFETY: the operation is a module without another owner.
        Ok(unsafe { Module::from_option_raw(mlirModuleFromOperation(op)) })
    }

    /// Parses text or bytecode that stands beside the module that is worked on: a schedule, patterns. Its places are its
    /// own: those of the text parsed before stay those of the module. Errors: as [`Session::parse`].
    pub fn parse_beside(&self, bytes: &[u8], name: &str) -> Result<Module<'_>> {
        let before = self.messages.borrow().sources.len();
        // Parsing clears the diagnostics.
        let said = self.take_diagnostics();
        let module = self.parse(bytes, name)?;
        self.messages.borrow_mut().said.splice(0..0, said);
        // The C API calls every text `-`, which is the one that was parsed last: name the places, and step back.
        let op = Op::from(&module);
        op.walk(&mut |op| {
            if let Some((file, line, column)) = file_line_column(op.loc()).filter(|(file, ..)| file == "-") {
                debug_assert_eq!(file, "-");
                let (line, column) = (u32::try_from(line).unwrap_or(0), u32::try_from(column).unwrap_or(0));
                // SAFETY: the operation and its context are live, and the name is passed with its length.
                unsafe {
                    mlirOperationSetLocation(
                        op.0,
                        mlirLocationFileLineColGet(self.raw(), string_ref(name), line, column),
                    )
                };
            }
        });
        let mut messages = self.messages.borrow_mut();
        if messages.sources.len() > before && before > 0 {
            let own = messages.sources.pop().expect("the text was added");
            messages.sources.insert(0, own);
        }
        drop(messages);
        Ok(module)
    }

    /// Runs something and collects the remarks that begin with [`MARK`]: the rest of each and its place.
    pub(crate) fn marked<T>(&self, run: impl FnOnce() -> T) -> (T, Vec<(MlirLocation, String)>) {
        self.messages.borrow_mut().marks = Some(Vec::new());
        let result = run();
        let marks = self.messages.borrow_mut().marks.take().unwrap_or_default();
        (result, marks)
    }

    /// Adds a diagnostic to those of MLIR.
    pub fn say(&self, diagnostic: Diagnostic) {
        self.messages.borrow_mut().said.push(diagnostic);
    }

    /// Makes an empty module.
    pub fn empty_module(&self) -> Module<'_> {
        Module::new(melior::ir::Location::unknown(&self.context))
    }

    /// The texts that were parsed, for [`Session::adopt_sources`].
    pub fn sources(&self) -> Vec<Arc<Source>> {
        self.messages.borrow().sources.clone()
    }

    /// Points diagnostics into texts that another session parsed: bytecode keeps the places, not the text.
    pub fn adopt_sources(&self, sources: &[Arc<Source>]) {
        self.messages.borrow_mut().sources = sources.to_vec();
    }

    fn parse_raw(&self, bytes: &[u8], name: &str) -> Result<Module<'_>> {
        self.take_diagnostics();
        let owned_bytes = terminated(bytes);
        let text = MlirStringRef { data: owned_bytes.as_ptr().cast(), length: bytes.len() };
        // SAFETY: the context is live and the text is `length` readable bytes followed by a zero.
        let module = unsafe { melior::ir::Module::from_option_raw(hal_mlir_parse(self.raw(), text)) };
        let Some(module) = module else {
            return Err(self.error("the input is not valid MLIR").map_origin(name));
        };
        Ok(module)
    }

    /// Runs a textual pass pipeline, e.g. `builtin.module(canonicalize,cse)`, verifying after each pass.
    pub fn run_pipeline(&self, module: &Module<'_>, pipeline: &str) -> Result<()> {
        self.run_pipeline_on(Op(module.as_operation_raw()), pipeline, true)
    }

    /// Runs a textual pass pipeline on one operation, e.g. `func.func(cse)` on a function. It is set up once in a
    /// session.
    pub fn run_pipeline_on(&self, op: Op, pipeline: &str, verify: bool) -> Result<()> {
        let manager = self
            .pipelines
            .get(self.raw(), pipeline, verify)
            .map_err(|said| Error::usage(format!("the pass pipeline `{pipeline}` is not valid")).note(said))?;
        match manager.run(op) {
            true => Ok(()),
            false => Err(self.error(&format!("the pass pipeline `{pipeline}` failed"))),
        }
    }

    /// Returns the diagnostics since the last call.
    pub fn take_diagnostics(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.messages.borrow_mut().said)
    }

    /// An error made of what MLIR said, or of `fallback` if it said nothing.
    pub fn error(&self, fallback: &str) -> Error {
        let said = self.take_diagnostics();
        if said.iter().any(|d| d.severity == Severity::Error) {
            Error { kind: ErrorKind::Input, diagnostics: said }
        } else {
            Error::input(fallback)
        }
    }

    /// The place of an operation, if it came from a text that this session parsed.
    pub fn span(&self, op: Op) -> Option<Span> {
        span_of(op.loc(), &self.messages.borrow().sources)
    }
}

/// The parser reads up to a terminating zero in some paths; this hands it one.
fn terminated(bytes: &[u8]) -> Vec<u8> {
    let mut owned = bytes.to_vec();
    owned.push(0);
    owned
}

/// Whether the first operation in a text, after comments and aliases, is a module: `module`, `builtin.module`.
fn starts_with_a_module(text: &str) -> bool {
    let first =
        text.lines().map(str::trim_start).find(|l| !(l.is_empty() || l.starts_with("//") || l.starts_with(['#', '!'])));
    first.is_some_and(|l| ["module", "builtin.module", "\"builtin.module\""].iter().any(|w| l.starts_with(w)))
}

/// `as_operation().to_raw()` without melior's traits in scope everywhere.
pub(crate) trait RawModule {
    fn as_operation_raw(&self) -> MlirOperation;
}

impl RawModule for Module<'_> {
    fn as_operation_raw(&self) -> MlirOperation {
        // SAFETY: the module is live.
        unsafe { mlirModuleGetOperation(self.to_raw()) }
    }
}

impl From<&Module<'_>> for Op {
    fn from(module: &Module<'_>) -> Op {
        Op(module.as_operation_raw())
    }
}

trait MapOrigin {
    fn map_origin(self, name: &str) -> Self;
}

impl MapOrigin for Error {
    /// Names the file in diagnostics that have no place.
    fn map_origin(mut self, name: &str) -> Self {
        for d in &mut self.diagnostics {
            if d.primary.is_none() && d.origin.is_none() {
                d.origin = Some(name.to_owned());
            }
        }
        self
    }
}
