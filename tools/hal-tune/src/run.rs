//! The tool's work, in order.
use crate::{
    TuneArgs,
    bound::Gate,
    build::Builder,
    database,
    files::{CandidateFile, Files},
    generate::Generator,
    host::HostCalls,
    ready::{Ready, tune_all},
    report,
    serve::serve,
    store::Store,
    subject::{OPEN, subjects},
    target::target,
    trials::Trials,
    tune::Tuner,
};
use hal_translate::{ContainmentArgs, KernelFastMath, Options, Translation, pipelines, schedule_key, tuning_target};
use halyard_cli::{Printer, read_input, write_ir};
use halyard_diag::{Error, Result};
use halyard_exec::Interrupt;
use halyard_ir::{
    Session,
    form::{Phase, load_program, verify, write},
};
use halyard_manifest::TuningCandidates;
use halyard_peaks::{CacheState, Peaks};
use halyard_stages::{PipelineArgs, StageArgs};
use halyard_targets::CpuTarget;
use halyard_verify::{ContestOptions, Effort};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Runs the tool. Errors: no program in phase `executables`, a target whose code this machine does not run, patterns that match nothing,
/// files that cannot be read or written.
pub fn run(args: TuneArgs, printer: &Printer) -> Result<()> {
    if args.database.are_given() {
        return database::manage(&args, printer);
    }
    if args.plugins.list_plugins {
        return printer.stdout(&halyard_manifest::list(&args.plugins)?);
    }
    args.depfile.check(&args.output.output)?;
    let dash = Path::new("-");
    if args.serve && (args.input == dash || args.output.output == dash) {
        return Err(Error::usage("with `--serve`, standard input and output belong to the client")
            .hint("name the program, and write it to a file: `hal-tune --serve program.mlir -o tuned.mlir`"));
    }
    let of_plugins = TuningCandidates::new(&args.plugins)?;
    halyard_ir::load_plugins(&of_plugins.passes, &of_plugins.dialects)?;
    let (target, device) = target(&args)?;
    let input = read_input(&args.input)?;
    let session = Session::until_exit();
    let (module, program) = load_program(session, &input.bytes, &input.name)?;
    program.expect_phase("hal-tune", Phase::Executables)?;
    let host = HostCalls::of(program, &args.dim)?;
    let (found, others) = subjects(program, &args.executable, &host, target.device())?;
    let options = Options {
        opt_level: args.opt_level,
        fast_math: args.fast_math.contains(&KernelFastMath::Sums),
        tf32: args.fast_math.contains(&KernelFastMath::Tf32),
        winograd: args.fast_math.contains(&KernelFastMath::Winograd),
        activations: args.fast_math.contains(&KernelFastMath::Activations),
    };
    let targets = vec![target.clone()];
    let translation = Translation {
        debug: None,
        pipelines: pipelines(session, &StageArgs::default(), &PipelineArgs::default(), options, &targets)?.into(),
        targets,
        options,
        jobs: args.jobs.jobs,
        containment: ContainmentArgs { executable_timeout: Some(args.trial_timeout), ..ContainmentArgs::default() },
        strip_source: false,
        verify: None,
        object_path: Vec::new(),
        tuning: None,
        cache: None,
        launcher: args.launcher.launcher()?,
        printer: None,
    };
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = match &device {
        // Those of a device are what its kernels say.
        Some(_) => 0,
        None if args.threads == 0 => all,
        None => args.threads,
    };
    let mut machine = match &device {
        Some(device) => device.machine().to_owned(),
        None => halyard_tuning::machine("cpu").unwrap_or_else(|| CpuTarget::host().chip),
    };
    if device.is_none() && threads != all {
        // Another kernel may be the best one on fewer threads.
        machine += &format!(", {threads} used");
    }
    if args.cold {
        // And with empty caches.
        machine += ", cold caches";
    }
    halyard_peaks::busy_machine().iter().for_each(|w| printer.diagnostic(w));
    // The peaks of devices are not measured yet.
    let gate = device.is_none().then(|| {
        let (peaks, warning) = Peaks::of_this_machine(threads, false);
        warning.iter().for_each(|w| printer.diagnostic(w));
        Gate::new(peaks, if args.cold { CacheState::Cold } else { CacheState::Warm })
    });
    let open = |path: &PathBuf| Store::open(path, tuning_target(&target, options), machine.clone());
    let opened = args.tuning.as_ref().filter(|p| !p.as_os_str().is_empty()).map(open).transpose()?;
    let store = opened.map(|(store, warning)| {
        warning.iter().for_each(|w| printer.diagnostic(w));
        store
    });
    let trials = match &args.trials {
        Some(path) => {
            let (trials, warnings) = Trials::open(path, store)?;
            warnings.iter().for_each(|w| printer.diagnostic(w));
            trials
        }
        None => Trials::in_store(store),
    };
    let candidates = [args.candidate.clone(), CandidateFile::of_plugins(of_plugins)].concat();
    let files = Files::new(
        session,
        program,
        (&candidates, &args.workgroups),
        ([args.cc.clone(), args.glslc.clone()], args.generator.is_some() || args.serve),
    )?;
    if let Some(idle) = files.unmatched(&found) {
        return Err(Error::usage(format!("`{idle}` is for no executable that can be tuned"))
            .hint("`hal-extract --list` lists the executables of a program"));
    }
    let mut tuner = Tuner {
        builder: Builder { session, translation: &translation },
        options: ContestOptions {
            checks: args.checks,
            seed: args.seed,
            fast: options.inexact(),
            threads,
            limit: args.trial_timeout,
            effort: Effort { samples: 1, time: Duration::ZERO, hopeless: 1.0, twin: false, hot: 0 },
            again: None,
            foreign: false,
            cold: args.cold,
            device: device.as_ref().map(|d| d.name),
            places: Vec::new(),
        },
        target: schedule_key(&target),
        code: tuning_target(&target, options),
        machine,
        seed: args.seed,
        interrupt: Interrupt::watch(),
        trials,
        files,
        generator: args
            .generator
            .as_ref()
            .map(|command| Generator::start(command, args.generator_timeout))
            .transpose()?,
        program,
        gate,
        device,
    };
    for (name, why) in &others {
        printer.verbose(format!("@{name} is not tuned: {why}"));
    }
    let open: Vec<&str> = others.iter().filter(|(_, why)| why == OPEN).map(|(name, _)| &**name).collect();
    if !open.is_empty() {
        printer.diagnostic(&report::left_out(&open, &host.open));
    }
    let write = || -> Result<()> {
        verify(session, program)?;
        write_ir(&args.output, &write(program.op, args.output.bytecode()), args.output.bytecode())
    };
    let ready = Ready::new(&tuner, found, others, printer);
    if args.serve {
        serve(&mut tuner, ready, &write, printer)?;
    } else {
        tune_all(args.budget, &mut tuner, ready, printer)?;
        write()?;
    }
    drop(module);
    let files: Vec<&Path> = vec![&args.output.output];
    args.depfile.write(&files)
}
