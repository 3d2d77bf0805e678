//! Runs the tool, from arguments to output.
use crate::{
    OptArgs,
    chunks::{MARKER, split},
    expect::Expectations,
    reproducer,
};
use halyard_cli::{Input, Printer, read_input, write_ir, write_output};
use halyard_diag::{Error, ErrorKind, Result, Source};
use halyard_ir::{
    Module, Op, PipelineOptions, Session,
    form::{Program, verify, write},
    is_bytecode,
};
use halyard_plugins::Active;
use halyard_preprocess::Preprocess;
use halyard_stages::{Matching, Stages, Timing, Watch};
use std::sync::Arc;

/// Runs the tool. Errors: stages that are malformed (before anything is read), input that is not MLIR or not a sound
/// program, a pass that fails, messages other than expected.
pub fn run(mut args: OptArgs, printer: &Printer) -> Result<()> {
    if args.plugins.list_plugins {
        return printer.stdout(&halyard_plugins::list(&args.plugins)?);
    }
    halyard_ir::load_plugins(args.libraries.passes(), args.libraries.dialects())?;
    let plugins = Active::new(&args.plugins)?;
    if args.list_passes {
        return printer.stdout(&halyard_ir::list_passes()?);
    }
    args.depfile.check(&args.output.output)?;
    let reproducer = args.run_reproducer.then(|| read_input(&args.input)).transpose()?;
    if let Some(input) = &reproducer {
        reproducer::apply(&mut args, input)?;
    }
    let session = Session::until_exit();
    session.allow_unregistered_dialects(args.allow_unregistered_dialect);
    if let Some(action) = &args.check_preprocessor {
        return halyard_preprocess::check(session, action, &args.preprocess, args.jobs.jobs, printer);
    }
    if args.list_stages {
        return printer.stdout(&Stages::list_all(session, &args.stage_args)?);
    }
    if let Some(name) = &args.show_stage {
        return write_output("-".as_ref(), &Stages::text_of(&args.stage_args, name)?);
    }
    if args.list_parameters {
        return printer.stdout(&Stages::list(session, &args.stage_args, &args.stages)?);
    }
    let stages = match &args.pass_pipeline {
        Some(pipeline) => Stages::parse(session, "--pass-pipeline", std::slice::from_ref(pipeline))?,
        None if args.expand => Stages::parse_to_show(session, &args.stage_args, "--stage", &args.stages)?,
        None => Stages::parse_with(session, &args.stage_args, "--stage", &args.stages)?,
    };
    let matching = Matching { report: args.report_matches, require: args.require_match, whole: false };
    let stages = stages.matching(Matching { whole: true, ..matching });
    if args.expand {
        return printer.stdout(&stages.flat().iter().map(|s| format!("{s}\n")).collect::<String>());
    }
    let options = PipelineOptions {
        verify_each: args.verify_each,
        print_before: args.print_ir_before_all,
        print_after: args.print_ir_after_all,
    };
    let tools = Preprocess::new(session, &args.preprocess, &args.stage_args, args.jobs.jobs)?
        .with(matching, options)
        .objects_in(&args.object_path)
        .cached(args.cache.choice()?);
    let hooks = plugins.hooks(session, &args.stage_args, &args.preprocess.preprocess_target, args.jobs.jobs)?;
    let hooks = hooks.with(matching, options).objects_in(&args.object_path).cached(args.cache.choice()?);
    if let Some(idle) = args.plugin_stages.iter().find(|h| !hooks.has(**h)) {
        let message = format!("`--plugin-stages={}` has no effect: no plugin that is on has stages there", idle.name());
        return Err(Error::usage(message).hint("`--list-plugins` shows what each plugin has"));
    }
    let flag = args.cache.words().into_iter().next();
    if let Some(flag) = flag.filter(|_| !tools.has_pure() && !hooks.has_pure()) {
        return Err(Error::usage(format!("`{flag}` has no effect: no command declares itself pure"))
            .hint("`cmd[pure]:LINE` does; see docs/preprocessing.md"));
    }
    args.watch.check(std::iter::once(&stages), &tools.stages().chain(hooks.stages()).collect::<Vec<_>>())?;
    if args.reproducers_to.is_some() && stages.is_empty() {
        return Err(
            Error::usage("`--reproducers-to` has no effect: there are no stages").hint("`--stage=STAGE` runs one")
        );
    }
    let matching =
        args.require_match.then_some("--require-match").or(args.report_matches.then_some("--report-matches"));
    if let Some(flag) =
        matching.filter(|_| stages.is_empty() && tools.stages().next().is_none() && args.plugin_stages.is_empty())
    {
        return Err(
            Error::usage(format!("`{flag}` has no effect: there are no stages")).hint("`--stage=STAGE` runs one")
        );
    }
    let input = reproducer.map_or_else(|| read_input(&args.input), Ok)?;
    let mut work = Work {
        args: &args,
        printer,
        session,
        preprocess: tools,
        hooks,
        stages,
        options,
        timing: Timing::default(),
        watch: Watch::new(&args.watch, printer).reproducing(reproducer::writer(&args)),
        number: None,
    };
    let parts = parts(&args, &input);
    let mut outputs = Vec::new();
    let mut problems = Vec::new();
    let mut failed = None;
    for (i, part) in parts.iter().enumerate() {
        work.number = (parts.len() > 1).then(|| format!("part-{}", i + 1));
        match work.part(part) {
            Ok(output) => outputs.push(output),
            Err(e) if e.kind == ErrorKind::Input => problems.extend(e.diagnostics),
            Err(e) => {
                failed = Some(e);
                break;
            }
        }
    }
    work.watch.finish()?;
    if let Some(e) = failed {
        return Err(e);
    }
    if args.timing {
        printer.stderr(&work.timing.table());
    }
    if !problems.is_empty() {
        return Err(Error::many(problems));
    }
    let outputs: Vec<_> = outputs.into_iter().flatten().collect();
    let bytecode = args.output.bytecode();
    if bytecode && outputs.len() > 1 {
        return Err(Error::usage("`--split-input-file` has several results, and bytecode holds one")
            .hint("leave out `--emit=bytecode`"));
    }
    if outputs.is_empty() {
        return Ok(());
    }
    write_ir(&args.output, &outputs.join(format!("{MARKER}\n").as_bytes()), bytecode)?;
    args.depfile.write(&[&args.output.output])
}

/// An input or a part of it.
enum Part<'i> {
    Whole(&'i Input),
    Text(Arc<Source>),
}

impl Part<'_> {
    /// The bytes and what messages call them.
    fn bytes(&self) -> (&[u8], &str) {
        match self {
            Part::Whole(input) => (&input.bytes, &input.name),
            Part::Text(source) => (source.text.as_bytes(), &source.name),
        }
    }
}

fn parts<'i>(args: &OptArgs, input: &'i Input) -> Vec<Part<'i>> {
    match std::str::from_utf8(&input.bytes) {
        Ok(text) if !is_bytecode(&input.bytes) => {
            if args.split_input_file {
                split(&input.name, text).into_iter().map(Part::Text).collect()
            } else {
                vec![Part::Text(Source::new(&*input.name, text))]
            }
        }
        _ => vec![Part::Whole(input)],
    }
}

struct Work<'a> {
    args: &'a OptArgs,
    printer: &'a Printer,
    session: &'a Session,
    preprocess: Preprocess,
    /// The actions of plugins.
    hooks: Preprocess,
    stages: Stages,
    options: PipelineOptions,
    timing: Timing,
    watch: Watch<'a>,
    /// The number of the part of the input, if there are several.
    number: Option<String>,
}

impl Work<'_> {
    /// Treats one part; `None` if it fails as its comments ask for.
    fn part(&mut self, part: &Part<'_>) -> Result<Option<Vec<u8>>> {
        let result = self.transform(part);
        let mut said = self.session.take_diagnostics();
        let source = match part {
            Part::Text(source) if self.args.verify_diagnostics => source,
            _ => {
                // A failure brings its warnings along.
                said.iter().for_each(|d| self.printer.diagnostic(d));
                return result.map(Some);
            }
        };
        let output = match result {
            Ok(output) => Some(output),
            Err(e) if e.kind == ErrorKind::Input => {
                said.extend(e.diagnostics);
                None
            }
            Err(e) => return Err(e),
        };
        Expectations::parse(source)?.check(&said).map(|()| output)
    }

    fn transform(&mut self, part: &Part<'_>) -> Result<Vec<u8>> {
        let session = self.session;
        let tools = &self.preprocess;
        let parsed = self.timing.measure("parse", || match part {
            Part::Whole(input) => session.parse(&input.bytes, &input.name),
            Part::Text(source) => session.parse_source(source),
        });
        let model = match parsed {
            Ok(module) => module.into(),
            Err(e) => tools.convert(session, self.printer, part.bytes(), e)?,
        };
        self.check_form(Op::from(&model.module))?;
        let tools = &self.preprocess;
        let module: Module<'_> = match tools.is_empty() {
            true => model.module,
            false => self.timing.measure("preprocess", || tools.run(session, self.printer, model))?,
        };
        let mut module = module;
        for &hook in &self.args.plugin_stages {
            let hooks = &self.hooks;
            module = self.timing.measure(hook.name(), || hooks.run_at(hook, session, self.printer, module.into()))?;
        }
        let op = Op::from(&module);
        let stages = (&self.stages, self.number.as_deref());
        self.watch.run(stages, session, op, self.options, &mut self.timing)?;
        if !self.args.verify_each && !op.verify() {
            return Err(session.error("the result does not verify"));
        }
        if !self.stages.is_empty() || !self.preprocess.is_empty() || !self.args.plugin_stages.is_empty() {
            self.check_form(op).map_err(|e| e.note("the program was sound before the stages ran"))?;
        }
        Ok(self.timing.measure("write", || write(op, self.args.output.bytecode())))
    }

    /// Verifies the exchange form where the module is a program.
    fn check_form(&mut self, op: Op) -> Result<()> {
        match Program::view(op) {
            Some(program) => self.timing.measure("verify program", || verify(self.session, program)),
            None => Ok(()),
        }
    }
}
