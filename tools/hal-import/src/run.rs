//! Runs the tool, from the command line to a program.
use crate::{
    Bounds, DimArgs, ImportArgs, ImportPhase, InputArgs, OnnxArgs, StateRule, Strings, WeightsPlace,
    args::ModelFormat,
    cached::import_cached,
    constants, dispatch,
    frontend::{InputKind, kind_of, lower_mlir, parse_mlir},
    history::ImportHistory,
    hooks::Hooks,
    onnx_ops::OnnxOps,
    pipelines::ImportPipelines,
    specialize, state,
    weights::{self, Weight},
};
use bytes::Bytes;
use halyard_cli::{Printer, folder_of, read_input, write_ir, write_pieces_atomically};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Module, Op, Session,
    form::{Phase, Program, verify, write},
    names,
};
use halyard_plugins::Active;
use halyard_preprocess::Hook;
use halyard_tensors::{NewArchive, WeightFiles};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// A request for an import.
#[derive(Debug)]
pub struct ImportRequest<'a> {
    /// The model. Its weights are not copied.
    pub bytes: Bytes,
    /// The name in messages.
    pub name: &'a str,
    /// The folder that external data of the model are relative to.
    pub folder: &'a Path,
    /// The kind of input; `None` to detect it from the content.
    pub kind: Option<InputKind>,
    /// The phase at which to stop.
    pub to: ImportPhase,
    /// The destination of weights.
    pub weights: WeightsPlace,
    /// Nobody named the file that weights go to: it does not replace files of others.
    pub beside: bool,
    /// The files with weights that the model lacks.
    pub files: Option<Arc<WeightFiles>>,
    /// The public functions to keep; all if empty.
    pub functions: &'a [String],
    /// The folders that are searched, after the working directory, for objects of kernels.
    pub object_path: &'a [PathBuf],
    /// The run-time checks of data; `None` for the model's setting.
    pub bounds: Option<Bounds>,
    /// Sizes of an ONNX model's inputs that the command line gives.
    pub sizes: &'a DimArgs,
    /// The inputs' descriptions on the command line.
    pub inputs: &'a InputArgs,
    /// The inputs and results that become states.
    pub states: &'a [StateRule],
    /// The options for ONNX.
    pub onnx: &'a OnnxArgs,
    /// The pipelines to run.
    pub pipelines: &'a ImportPipelines,
    /// Whether the input is a program of Halyard whose import is resumed.
    pub again: bool,
    /// The actions of plugins at hooks.
    pub hooks: Option<Hooks<'a>>,
    /// Where it is noted what each step changes, if anybody wants to know.
    pub history: Option<&'a ImportHistory>,
}

/// A program with its archive.
pub struct ImportedProgram<'s> {
    /// The program.
    pub module: Module<'s>,
    /// The safetensors archive that the program refers to, if it has one.
    pub archive: Option<NewArchive<'static>>,
    /// Warnings of the import.
    pub warnings: Vec<Diagnostic>,
}

/// Imports a model. Errors: what the frontends, [`weights`], [`dispatch::form`] and plugins say.
pub fn import<'s>(session: &'s Session, what: &ImportRequest<'_>) -> Result<ImportedProgram<'s>> {
    let (mut module, mut data, mut warnings) = read(session, what)?;
    warnings.extend(what.files.as_deref().map_or(Ok(Vec::new()), |files| unused(files, what.name))?);
    let mut program = Program::stamp(Op::from(&module), Phase::Input);
    set_bounds(program, what.bounds);
    if !what.functions.is_empty() {
        select(session, &module, what.functions)?;
    }
    state::apply(session, program, what.states)?;
    what.note_change("functions, states and checks that the command line asks for", &module);
    data.extend(weights::collect(program));
    // The first MLIR of a model that is none, and the program.
    let first = (!what.is_mlir()).then_some(Hook::Input);
    for hook in first.into_iter().chain((what.to == ImportPhase::Executables).then_some(Hook::Global)) {
        if let Some(hooks) = what.hooks.filter(|h| h.has(hook)) {
            weights::embed(program, &data);
            module = hooks.run(hook, session, module)?;
            what.note_change(&format!("plugins at `{}`", hook.name()), &module);
            lower_mlir(session, &module, what.name, (&what.pipelines.import, what.history))?;
            program = Program { op: Op::from(&module) };
            set_bounds(program, what.bounds);
            data = weights::collect(program);
        }
    }
    constants::compute(program, &mut data);
    what.note_change("constants that depend on constants", &module);
    if let WeightsPlace::External | WeightsPlace::ExternalBeside(_) = what.weights {
        weights::refer(program, &mut data);
    }
    let archive = match &what.weights {
        WeightsPlace::Embed | WeightsPlace::External => {
            weights::embed(program, &data);
            None
        }
        WeightsPlace::File(_) | WeightsPlace::ExternalBeside(_) if data.is_empty() => None,
        WeightsPlace::File(path) | WeightsPlace::ExternalBeside(path) => {
            let beside = matches!(what.weights, WeightsPlace::ExternalBeside(_)) || what.beside;
            if !beside && halyard_cli::files_read().iter().any(|f| f == path) {
                return Err(Error::usage(format!("`--weights-to={}` would replace an input", path.display()))
                    .hint("name another file"));
            }
            let name = weights::archive_name(program, path, beside)?;
            weights::externalize(program, &name);
            Some(weights::archive(path.with_file_name(name), &data)?)
        }
    };
    verify(session, program)?;
    what.note_change("weights", &module);
    if what.to == ImportPhase::Executables {
        warnings.extend(dispatch::prepare(session, &module, (&what.pipelines.dispatch, what.history))?);
        if let Some(hooks) = what.hooks {
            module = hooks.run(Hook::Dispatch, session, module)?;
            what.note_change("plugins at `dispatch`", &module);
        }
        dispatch::form(session, &module, what.object_path)?;
    }
    Ok(ImportedProgram { module, archive, warnings })
}

/// Returns a warning about unused weights. Fails if no weight was used.
fn unused(files: &WeightFiles, model: &str) -> Result<Vec<Diagnostic>> {
    let (unused, some, all) = files.unused();
    if unused == all {
        let error =
            Error::input(format!("`{model}` uses none of the {all} weights of the files")).code("unused-weights");
        return Err(if all == 0 {
            error
        } else {
            error.note(format!("they are called {some}{}", if all > 4 { ", …" } else { "" }))
        }
        .hint("`--weights-map=PATTERN=REPLACEMENT` says what the model's weights are called in the files"));
    }
    let more = if unused > 4 { ", …" } else { "" };
    let what = format!("the model does not use {unused} of the {all} weights of the files: {some}{more}");
    Ok((unused > 0).then(|| Diagnostic::warning(what).code("unused-weights")).into_iter().collect())
}

impl ImportRequest<'_> {
    pub(crate) fn is_mlir(&self) -> bool {
        self.kind.unwrap_or_else(|| kind_of(&self.bytes)) == InputKind::Mlir
    }

    /// Notes the beginning, or a step after which the model is read again.
    fn note_model(&self, title: &str, module: &Module<'_>) {
        match self.history.filter(|history| history.text().is_none()) {
            Some(history) => history.note(title, Op::from(module)),
            None => self.note_change(title, module),
        }
    }

    fn note_change(&self, step: &str, module: &Module<'_>) {
        if let Some(history) = self.history {
            history.note_change(step, Op::from(module));
        }
    }
}

/// The first flag that is given and says something about ONNX models alone.
pub fn onnx_flag(sizes: &DimArgs, inputs: &InputArgs, onnx: &OnnxArgs) -> Option<&'static str> {
    let flags = [
        ("--dim", !sizes.dims.is_empty()),
        ("--specialize", !sizes.specialize.is_empty()),
        ("--input-shape", !inputs.input_shape.is_empty()),
        ("--input-value", !inputs.input_value.is_empty()),
        ("--onnx-op", !onnx.onnx_op.is_empty()),
        ("--onnx-strings", onnx.onnx_strings.is_some()),
    ];
    flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
}

fn read<'s>(session: &'s Session, what: &ImportRequest<'_>) -> Result<(Module<'s>, Vec<Weight>, Vec<Diagnostic>)> {
    if what.is_mlir() {
        let flag = onnx_flag(what.sizes, what.inputs, what.onnx);
        if let Some(flag) = flag.filter(|_| !what.again) {
            return Err(Error::usage(format!("`{flag}` is for ONNX models, and `{}` is not one", what.name))
                .hint("the types of an MLIR function already describe its arguments"));
        }
        let module = parse_mlir(session, &what.bytes, what.name);
        let module = match what.hooks {
            Some(hooks) => hooks.run_on_model(session, module, (&what.bytes, what.name))?,
            None => module?,
        };
        let program = Program::view(Op::from(&module)).is_some();
        let pipeline = if what.again { &what.pipelines.import } else { what.pipelines.for_model(program)? };
        let bound = what
            .files
            .as_deref()
            .map_or(Ok(Vec::new()), |files| weights::bind(session, Program { op: Op::from(&module) }, files));
        let bound = bound.map_err(|e| e.in_file(what.name))?;
        what.note_model("the model", &module);
        lower_mlir(session, &module, what.name, (pipeline, what.history))?;
        return Ok((module, bound, Vec::new()));
    }
    what.pipelines.check_other()?;
    let ops = OnnxOps::read(session, &what.onnx.onnx_op)?;
    let options = crate::onnx::OnnxOptions {
        check_data: what.bounds != Some(crate::args::Bounds::Trust),
        sizes: what.sizes.clone(),
        shapes: what.inputs.input_shape.clone(),
        values: what.inputs.input_value.clone(),
        number_strings: what.onnx.onnx_strings == Some(Strings::Number),
        functions: ops.functions.clone(),
        weights: what.files.clone(),
        ..Default::default()
    };
    let imported = crate::onnx::import(session, what.bytes.clone(), what.name, what.folder, &options)?;
    let data = |weights: Vec<crate::onnx::OnnxWeight>| -> Vec<Weight> {
        weights.into_iter().map(|w| Weight { key: w.name, dtype: w.dtype, shape: w.shape, bytes: w.bytes }).collect()
    };
    let mut weights = data(imported.weights);
    let mut copies = Vec::new();
    for copy in &what.sizes.specialize {
        let mut options = options.clone();
        options.sizes.dims.extend(copy.dims.iter().cloned());
        let own = crate::onnx::import(session, what.bytes.clone(), what.name, what.folder, &options)?;
        copies.push(specialize::Copy { text: copy.text.clone(), module: own.module, weights: data(own.weights) });
    }
    if !copies.is_empty() {
        specialize::add(session, &imported.module, &mut weights, copies)?;
    }
    if !options.functions.is_empty() {
        ops.add_to(session, &imported.module)?;
    }
    what.note_model("the model, as functions on tensors", &imported.module);
    if !options.functions.is_empty() {
        // Modules that preprocessors wrote are lowered like users' models.
        lower_mlir(session, &imported.module, what.name, (&what.pipelines.import, what.history))?;
    }
    Ok((imported.module, weights, imported.warnings))
}

/// Notes what is checked; checking is what programs without a word do.
fn set_bounds(program: Program, bounds: Option<Bounds>) {
    match bounds {
        Some(Bounds::Trust) => {
            program.op.set_attr(names::BOUNDS, Attr::string(program.op.context(), Bounds::Trust.word()));
        }
        Some(Bounds::Check) => _ = program.op.remove_attr(names::BOUNDS),
        None => {}
    }
}

/// Keeps some public functions and what they call. Errors: one that does not exist.
fn select(session: &Session, module: &Module<'_>, names: &[String]) -> Result<()> {
    let functions = Program { op: Op::from(module) }.public_functions();
    let known: Vec<String> = functions.iter().filter_map(|f| f.symbol()).collect();
    if let Some(missing) = names.iter().find(|n| !known.contains(n)) {
        let list: Vec<String> = known.iter().map(|k| format!("`{k}`")).collect();
        return Err(Error::usage(format!("there is no public function `{missing}`"))
            .note(format!("the module has {}", list.join(", "))));
    }
    for function in functions {
        if !names.contains(&function.symbol().unwrap_or_default()) {
            function.set_attr("sym_visibility", Attr::string(function.context(), "private"));
        }
    }
    session.run_pipeline(module, "builtin.module(symbol-dce)")
}

/// Runs the tool.
pub fn run(args: ImportArgs, printer: &Printer) -> Result<()> {
    if args.plugins.chosen.list_plugins {
        return printer.stdout(&halyard_plugins::list(&args.plugins.chosen)?);
    }
    if args.list_onnx_operators {
        return printer.stdout(&crate::onnx::operators());
    }
    args.layout.tell(printer);
    args.fast_math.tell(printer);
    halyard_ir::load_plugins(args.libraries.passes(), args.libraries.dialects())?;
    args.depfile.check(&args.output.output)?;
    args.pipeline_choices.check(&ImportPipelines::NAMES, "hal-import")?;
    let input = read_input(&args.input)?;
    let plugins = Active::for_program(&args.plugins, [(&*input.bytes, &*input.name)])?;
    let session = Session::until_exit();
    let cache = args.cache.choice()?;
    let tasks = plugins.hooks(session, &args.stage_args, &[], None)?.cached(cache.clone());
    let pipelines = ImportPipelines::parse(session, &args.stage_args, &args.pipeline_choices)?;
    let output = args.output.output.as_path();
    let to_stdout = output == Path::new("-");
    let weights = match args.weights.place() {
        Some(WeightsPlace::External) if !to_stdout && writes_beside(output) => {
            WeightsPlace::ExternalBeside(output.with_extension("safetensors"))
        }
        Some(place) => place,
        None if to_stdout || !writes_beside(output) => WeightsPlace::Embed,
        None => WeightsPlace::File(output.with_extension("safetensors")),
    };
    let folder = input.path.as_deref().map_or(Path::new("."), folder_of);
    let kind = match args.format {
        ModelFormat::Auto => None,
        ModelFormat::Mlir => Some(InputKind::Mlir),
        ModelFormat::Onnx => Some(InputKind::Onnx),
    };
    let what = ImportRequest {
        bytes: input.bytes.clone(),
        name: &input.name,
        folder,
        kind,
        to: args.to,
        weights,
        beside: args.weights.place().is_none(),
        files: args.weights.open()?,
        functions: &args.function,
        object_path: &args.object_path,
        bounds: args.bounds.bounds,
        sizes: &args.sizes,
        inputs: &args.inputs,
        states: &args.states.states,
        onnx: &args.onnx,
        pipelines: &pipelines,
        again: false,
        hooks: (!plugins.is_empty()).then_some(Hooks { tasks: &tasks, printer }),
        history: None,
    };
    let imported = import_cached(session, &what, cache.as_ref(), printer)?;
    imported.warnings.iter().for_each(|w| printer.diagnostic(w));
    // The archive comes first: a program never refers to a file that is not there.
    if let Some(archive) = &imported.archive {
        write_pieces_atomically(&archive.path, archive.pieces())?;
        printer.verbose(format!("wrote {} bytes of weights to `{}`", archive.size(), archive.path.display()));
    }
    let program = write(Op::from(&imported.module), args.output.bytecode());
    write_ir(&args.output, &program, args.output.bytecode())?;
    args.depfile.write(&[&args.output.output])
}

/// Whether files can be written beside an output: not beside `/dev/null` or a pipe.
fn writes_beside(output: &Path) -> bool {
    std::fs::metadata(output).map_or(true, |m| m.is_file())
}
