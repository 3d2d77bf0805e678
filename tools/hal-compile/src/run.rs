//! Runs the tool, step by step.
use crate::{
    CompileArgs, graph,
    plan::{Plan, Step},
    report::{self, RequestedReport},
    reproduce,
    steps::Work,
    times::Times,
};
use hal_import::frontend::{InputKind, kind_of};
use halyard_cli::{Input, OutputArgs, Printer, Progress, read_input, write_atomically, write_depfile, write_ir};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Session,
    form::{Phase, Program, write},
};
use halyard_plugins::Active;
use std::fs;

/// Runs the tool. Errors: what the steps say.
pub fn run(mut args: CompileArgs, printer: &Printer) -> Result<()> {
    if args.plugins.chosen.list_plugins {
        return printer.stdout(&halyard_plugins::list(&args.plugins.chosen)?);
    }
    if let Some(list) = args.list_targets.list(&args.plugins.chosen)? {
        return printer.stdout(&list);
    }
    args.layout.tell(printer);
    halyard_ir::load_plugins(args.libraries.passes(), args.libraries.dialects())?;
    let mut times = Times::start();
    args.iree.apply(&mut args.target);
    if args.graph().is_some() {
        args.output = Some(graph::linked(&args)?);
    }
    // Errors in the command line are reported before a large model is read.
    args.output()?;
    args.times.check(args.output.as_deref())?;
    args.explain.check(args.output.as_deref())?;
    report::check(&args)?;
    let report = if args.dry_run { None } else { RequestedReport::prepare(&mut args)? };
    let input = read_input(&args.input)?;
    let plugins = Active::for_program(&args.plugins, [(&*input.bytes, &*input.name)])?;
    let session = Session::until_exit();
    let phase = phase_of(session, &input);
    let is_mlir = kind_of(&input.bytes) == InputKind::Mlir;
    let plan = Plan::new(&args, phase, is_mlir)?.with_data_elsewhere(!is_mlir && reproduce::has_data_elsewhere(&input));
    args.dump.check(&plan)?;
    let mut plan = plan;
    if args.graph().is_some() {
        let rest = plan.take_graph();
        graph::check(&args, &plugins, &rest)?;
    }
    if args.dry_run {
        let report = report::command(&args).map_or_else(String::new, |command| command + "\n");
        return printer.stdout(&(plan.pipe() + &report));
    }
    if let Some(path) = &args.reproduce {
        reproduce::write(path, &plan, &input, &plugins)?;
        printer.verbose(format!("wrote what is needed to reproduce this to `{}`", path.display()));
        if reproduce::has_data_elsewhere(&input) || !args.weights.files().is_empty() {
            let warning = Diagnostic::warning("the model may refer to data in other files, which were not packed");
            printer.diagnostic(&warning.hint(format!("copy them to the folder `inputs` of `{}`", path.display())));
        }
    }
    let (again, times) =
        (Input { bytes: input.bytes.clone(), name: input.name.clone(), path: input.path.clone() }, &mut times);
    let done = compile(session, &plan, input, &plugins, (printer, times), report.as_ref());
    if let Some(path) = &args.reproduce {
        // Also of a compilation that failed, and of one that nobody can do again without them.
        let outside = reproduce::add_read(path, &plan, &again, &plugins)?;
        if !outside.is_empty() {
            let list: Vec<_> = outside.iter().map(|p| format!("`{}`", p.display())).collect();
            let warning = Diagnostic::warning(format!(
                "files outside of the working folder were not packed: {}",
                list.join(", ")
            ));
            printer.diagnostic(&warning.hint("they are read from the same paths again; name them by paths below the working folder to have them packed"));
        }
    }
    done
}

/// Runs the steps of a plan.
fn compile(
    session: &Session,
    plan: &Plan<'_>,
    input: Input,
    plugins: &Active,
    (printer, times): (&Printer, &mut Times),
    report: Option<&RequestedReport>,
) -> Result<()> {
    let args = plan.args;
    for folder in plan.temps.iter().flatten().filter_map(|p| p.parent()).filter(|p| !p.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| Error::io("make", folder, &e))?;
    }
    args.dump.prepare()?;
    let mut work = Work::new(session, plan, input, plugins, printer)?;
    times.end("starting");
    let progress = Progress::new(printer, "compiling", plan.steps.len());
    for (step, temp) in plan.steps.iter().zip(&plan.temps) {
        let running = progress.start(title(step));
        work.step(step).or_else(|e| work.watched().and(Err(e)))?;
        if let Some(temp) = temp {
            write_atomically(temp, &write(work.program().op, false))?;
        }
        drop(running);
        let wall = times.end(title(step));
        printer.verbose(format!("{}: {:.3} s", title(step), wall.as_secs_f64()));
    }
    drop(progress);
    work.watched()?;
    if args.to.is_some() {
        let bytecode = plan.bytecode();
        let output = OutputArgs {
            output: plan.output.into(),
            emit: args.module_format(),
            emit_bytecode: false,
            force: args.force,
        };
        write_ir(&output, &write(work.program().op, bytecode), bytecode)?;
    }
    if let Some(kind) = args.graph() {
        graph::emit(kind, plan, &work)?;
    }
    if let Some(path) = &args.depfile {
        write_depfile(path, &[plan.output])?;
    }
    if plan.steps.contains(&Step::Translate) {
        let count = work.program().executables().len();
        let cached = work.report.as_ref().map_or(0, hal_translate::TranslationReport::cached);
        let from = if cached == 0 { String::new() } else { format!(", {cached} from the cache") };
        summary(printer, &format!("compiled {count} {} in {:.1} s{from}", plural(count), times.total().as_secs_f64()));
    }
    if let Some(report) = report {
        report.write(plan, work.report.as_ref(), printer)?;
    }
    times.report = work.report.take();
    if args.times.time {
        printer.stderr(&times.table());
    }
    args.times.write(&times.json())?;
    Ok(())
}

/// Returns the phase of an input that is a program; `None` for models, which are detected without parsing.
fn phase_of(session: &Session, input: &Input) -> Option<Phase> {
    let mark = halyard_ir::names::PHASE.as_bytes();
    if kind_of(&input.bytes) != InputKind::Mlir || !halyard_cli::contains(&input.bytes, mark) {
        return None;
    }
    // Whatever is wrong with it, the first step says.
    let module = session.parse(&input.bytes, &input.name).ok()?;
    let phase = Program::view((&module).into())?.phase().ok();
    session.take_diagnostics();
    phase
}

fn title(step: &Step) -> &'static str {
    match step {
        Step::Import { to_input: true } => "importing the model",
        Step::Import { to_input: false } => "forming executables",
        Step::Stages(_) => "running stages",
        Step::Preprocess(_) => "preprocessing",
        Step::Dump(_) => "dumping executables",
        Step::Substitute(_) => "substituting executables",
        Step::Translate => "translating executables",
        Step::Link => "linking",
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "executable" } else { "executables" }
}

/// Prints the last line.
fn summary(printer: &Printer, text: &str) {
    if printer.is_human() && !printer.is_quiet() {
        printer.stderr(&format!("{text}\n"));
    }
}
