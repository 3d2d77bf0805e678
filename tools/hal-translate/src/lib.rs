//! `hal-translate`: code generation for the executables of a program.
//!
//! [`input`] detects the kind of input; [`program`] makes a [`job`] of each executable and target, which [`workers`]
//! run in separate processes. A job lowers the exports ([`codegen`]) and emits an object ([`llvm`]); the variants are
//! then inserted into the program in order. [`code`] writes the code of a single executable instead.

mod args;
mod cached;
mod called;
mod clock;
mod code;
mod code_target;
mod codegen;
mod containment;
mod debug_args;
mod debug_info;
mod each;
mod explain;
mod fault_injection;
mod format;
mod input;
mod job;
mod layout;
mod llvm;
mod lowered;
mod nameless;
mod options;
mod plugin_targets;
mod program;
mod remote;
mod report;
mod reproducer;
mod save;
mod schedule;
mod target_args;
mod targets;
mod times;
mod translation;
mod tuning;
mod variants;
mod verified;
mod worker;
mod workers;

pub use args::{KernelFastMath, TranslateArgs};
pub use clock::Clock;
pub use containment::ContainmentArgs;
pub use debug_args::DebugArgs;
pub use debug_info::DebugInfo;
pub use each::translate_each;
pub use explain::{Explain, ExplainArgs};
pub use format::TranslationFormat;
pub use halyard_cache::CacheArgs;
pub use halyard_targets::{CpuTarget, Target, parse_targets};
pub use options::Options;
pub use plugin_targets::{Plugged, PluginTarget, Targets, translate_plugged};
pub use program::translate;
pub use remote::LauncherArgs;
pub use report::TranslationReport;
pub use save::{CodeFile, Missing, code, missing, stages, write_code};
pub use schedule::schedule_key;
pub use target_args::ListTargetsArgs;
pub use targets::{AssemblerArgs, Pipelines, pipeline_names, pipelines};
pub use times::TimeArgs;
pub use translation::{Translation, Verify};
pub use tuning::{Tuning, TuningArgs, pack_variant, tuning_target};

use halyard_cli::{Printer, read_input, write_output};
use halyard_diag::{Error, Result};
use halyard_ir::{Op, Session, form};
use halyard_plugins::Active;
use halyard_preprocess::Hook;
use halyard_targets as target;
use input::Input;
pub(crate) use llvm::FATAL;
use std::io::IsTerminal;

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}

/// Returns the output of `--version`.
pub(crate) fn version() -> String {
    halyard_cli::command::<TranslateArgs>().render_version()
}

/// Runs the tool.
pub fn run(args: TranslateArgs, printer: &Printer) -> Result<()> {
    if args.plugins.chosen.list_plugins {
        return printer.stdout(&halyard_plugins::list(&args.plugins.chosen)?);
    }
    if let Some(list) = args.list_targets.list(&args.plugins.chosen)? {
        return printer.stdout(&list);
    }
    if args.remote_worker {
        return remote::serve(&args.input, &args.output);
    }
    halyard_ir::load_plugins(args.libraries.passes(), args.libraries.dialects())?;
    let kind = args.emit_kind();
    let is_code = kind.is_code();
    if args.executable.is_some() && !is_code {
        let kinds = TranslationFormat::names_of_code();
        return Err(Error::usage(format!("`--executable` requires `--emit` of code: {kinds}")));
    }
    args.assembler.check(kind.is_assembled())?;
    if args.verify.verify.is_some() && is_code {
        return Err(Error::usage(
            "`--verify` does not go with `--emit` of code: it looks at whole programs and executables",
        ));
    }
    let saved = [("save-code", args.save_code.is_some()), ("save-stages", args.save_stages.is_some())];
    let saved = saved.into_iter().find_map(|(flag, given)| given.then_some(flag));
    if let Some(flag) = saved.filter(|_| is_code || args.strip_source) {
        let other = if is_code { "--emit of code" } else { "--strip-source" };
        return Err(Error::usage(format!("`--{flag}` does not go with `{other}`")));
    }
    if kind.is_binary() && !args.force && args.output.as_os_str() == "-" && std::io::stdout().is_terminal() {
        return Err(Error::usage("not writing binary data to a terminal")
            .hint("write to a file with `-o FILE`, or force it with `-f`"));
    }
    args.depfile.check(&args.output)?;
    args.times.check(Some(&args.output))?;
    args.explain.check(Some(&args.output))?;
    args.pipeline_choices.check(&pipeline_names(), "hal-translate")?;
    // A wrong target is reported before a large program is read; an unknown name may belong to a plugin that the
    // program requests.
    let ours = |list: &String| list.split(',').all(|item| item.trim().starts_with(['+', '-']) || item.contains("cpu"));
    if !args.target.is_empty() && args.target.iter().all(ours) {
        parse_targets(&args.target)?;
    }
    let input = read_input(&args.input)?;
    let plugins = Active::for_program(&args.plugins, [(&*input.bytes, &*input.name)])?;
    let session = Session::until_exit();
    let Targets { own, vendors } = Targets::parse(&args.target, &plugins, &args.plugins.chosen)?;
    let hooks = plugins.hooks(session, &args.stage_args, &args.target, args.jobs.jobs)?.objects_in(&args.object_path);
    let hooks = hooks.cached(args.cache.choice()?);
    let plugged = Plugged { hooks: &hooks, vendors: &vendors, printer };
    let options = Options {
        opt_level: args.opt_level,
        fast_math: args.fast_math.contains(&KernelFastMath::Sums),
        winograd: args.fast_math.contains(&KernelFastMath::Winograd),
        tf32: args.fast_math.contains(&KernelFastMath::Tf32),
        activations: args.fast_math.contains(&KernelFastMath::Activations),
    };
    let debug = args.debug.debug_info(&args.output, &own, &vendors)?;
    let translation = Translation {
        pipelines: pipelines(session, &args.stage_args, &args.pipeline_choices, options, &own)?.into(),
        targets: own,
        options,
        jobs: args.jobs.jobs,
        containment: args.containment.clone(),
        strip_source: args.strip_source,
        verify: args.verify.verify.map(Verify::new),
        object_path: args.object_path.clone(),
        tuning: args.tuning.tuning()?,
        cache: args.cache.choice()?,
        debug,
        launcher: args.launcher.launcher()?,
        printer: Some(printer.clone()),
    };
    let mut module = session.parse(&input.bytes, &input.name)?;
    let classified = input::classify(session, &module, &input.name)?;
    if let (Input::Executable(_), Some(idle)) =
        (&classified, [Hook::Executable, Hook::Object].into_iter().find(|h| hooks.has(*h)))
    {
        let message =
            format!("stages of plugins at `{}` need a program, and the input is an executable alone", idle.name());
        return Err(
            Error::usage(message).hint("leave the plugins out; `hal-opt --stage` runs a stage on an executable")
        );
    }
    if let Some(name) = plugins.targets().first().filter(|_| !vendors.is_empty() && (is_code || saved.is_some())) {
        let message = format!("target `{name}` is of a plugin, which makes objects; there is no code to write");
        return Err(Error::usage(message).hint(format!("leave out `--{}`", saved.unwrap_or("emit"))));
    }
    let (bytes, report) = if is_code {
        let (bytes, report) = code::emit(session, &classified, args.executable.as_deref(), kind, &translation)?;
        match &translation.targets[..] {
            [target] if kind.is_assembled() => (targets::of(target).assemble(args.assembler.tool(), &bytes)?, report),
            _ => (bytes, report),
        }
    } else {
        let executables = match &classified {
            Input::Program(program) => program.executables(),
            Input::Executable(executable) => vec![*executable],
        };
        let missing = saved.map(|_| missing(session, &executables, &translation));
        let (op, report): (Op, TranslationReport) = match classified {
            Input::Program(_) => {
                let (changed, report) = translate_plugged(session, module, &translation, plugged)?;
                module = changed;
                (Op::from(&module), report)
            }
            Input::Executable(executable) => {
                plugged.generate(session, executable.op, &[executable], &translation)?;
                let report = program::translate_executables(session, &[executable], &translation)?;
                plugged.check_complete(session, &[executable])?;
                (executable.op, report)
            }
        };
        let missing = missing.unwrap_or_default();
        if let Some(folder) = &args.save_code {
            write_code(folder, &code(session, &executables, &missing, &translation)?)?;
        }
        if let Some(folder) = &args.save_stages {
            write_code(folder, &stages(session, &executables, (&missing, &report), &translation)?)?;
        }
        (form::write(op, kind == TranslationFormat::Bytecode), report)
    };
    printer.stderr(report.tool_output());
    report.details().iter().for_each(|detail| printer.verbose(detail));
    report.warnings().iter().for_each(|warning| printer.diagnostic(warning));
    report.tuned().iter().for_each(|note| printer.diagnostic(note));
    report.verified().iter().for_each(|note| printer.diagnostic(note));
    args.explain.tell(&report, printer)?;
    if args.times.time {
        printer.stderr(&report.times());
    }
    args.times.write(&serde_json::json!({
        "version": 1, "executables": report.times_json(), "launches": report.launches_json(),
    }))?;
    write_output(&args.output, &bytes)?;
    args.depfile.write(&[&args.output])
}
