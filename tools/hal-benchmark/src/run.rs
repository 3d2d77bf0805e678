//! Runs the tool, step by step.
use crate::{
    BenchmarkArgs,
    args::PerExecutable,
    compare, dispatches, functions,
    machine::Machine,
    measure::{Plan, measure},
    peaks, perf,
    record::{Comparison, Measurement, Report, SCHEMA},
    report, warn,
};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_peaks::CacheEviction;
use halyard_programs::{Loader, listed, monitored};
use std::{io::IsTerminal, path::Path};
use terminal_size::terminal_size;

/// Runs the tool. Errors: programs that cannot be loaded, inputs that do not fit, programs that return different
/// things.
pub fn run(args: BenchmarkArgs, printer: &Printer) -> Result<()> {
    if let Some(text) = listed(&args.load)? {
        return printer.stdout(&text);
    }
    if args.peaks {
        return peaks::show(&args, printer);
    }
    if args.cold && args.per_executable == Some(PerExecutable::InPlace) {
        return Err(Error::usage("`--cold` and `--per-executable=in-place` exclude each other")
            .hint("within a call a dispatch finds what the one before it wrote; `--per-executable=isolated` measures each one with empty caches"));
    }
    let work = || Loader::scope(&args.load, |said| printer.diagnostic(said), |loader| with(&args, loader, printer));
    monitored(&args.load, &args.programs, printer, work)
}

fn with(args: &BenchmarkArgs, loader: &Loader<'_>, printer: &Printer) -> Result<()> {
    if args.perf && args.programs.len() > 1 {
        return Err(Error::usage("`--perf` counts one program").hint("give the programs one after the other"));
    }
    let to_stdout =
        [&args.json, &args.csv, &args.markdown].into_iter().flatten().filter(|p| *p == Path::new("-")).count();
    if to_stdout > 1 {
        return Err(Error::usage("only one report can go to standard output").hint("give the others file names"));
    }
    let machine = Machine::here();
    warn::of_machine(&machine).iter().for_each(|warning| printer.diagnostic(warning));
    let mut report = Report {
        schema: SCHEMA,
        machine,
        threads: 0,
        device: None,
        peaks: None,
        inputs: Vec::new(),
        results: Vec::new(),
        agreement: Vec::new(),
        comparison: None,
        comparisons: Vec::new(),
        counters: Vec::new(),
    };
    let programs = args.programs.iter().map(|path| loader.inspect(path)).collect::<Result<Vec<_>>>()?;
    loader.idle(&programs.iter().collect::<Vec<_>>()).iter().for_each(|warning| printer.diagnostic(warning));
    let chosen = functions::choose(&programs[0], args)?;
    if let Some(text) = programs.iter().find_map(|p| loader.fallen_back(p)) {
        printer.note(text);
    }
    drop(programs);
    for function in chosen {
        one_function(args, loader, &function, &mut report, printer)?;
    }
    report::write(args, &report, printer)?;
    if to_stdout == 0 {
        let width =
            std::io::stdout().is_terminal().then(terminal_size).flatten().map(|(width, _)| usize::from(width.0));
        printer.stdout(&report::terminal::text(&report, width, args.below))?;
    }
    Ok(())
}

/// Returns how dispatches are measured, if they are.
fn how(args: &BenchmarkArgs) -> Option<PerExecutable> {
    let asked = args.per_executable.or(args.below.map(|_| PerExecutable::InPlace))?;
    Some(if args.cold { PerExecutable::Isolated } else { asked })
}

/// Checks, measures and compares one function.
fn one_function(
    args: &BenchmarkArgs,
    loader: &Loader,
    function: &str,
    report: &mut Report,
    printer: &Printer,
) -> Result<()> {
    // Threads that start later are counted, too.
    let mut counters = if args.perf { Some(perf::Counters::open(printer)?) } else { None };
    let mut programs =
        args.programs.iter().map(|path| functions::load(path, function, args, loader)).collect::<Result<Vec<_>>>()?;
    let repeated = |i: usize| 1 + args.programs[..i].iter().filter(|path| **path == args.programs[i]).count();
    for (i, program) in programs.iter_mut().enumerate().filter(|(i, _)| repeated(*i) > 1) {
        program.name += &format!(" ({})", repeated(i));
    }
    for other in &programs[1..] {
        compare::same_signature(&programs[0], other)?;
    }
    // Random inputs have the sizes of the program that fixes more of them.
    let fixed =
        |p: &&functions::Loaded| p.function.inputs.iter().flat_map(|s| &s.shape).filter(|n| n.is_some()).count();
    let narrowest = programs.iter().rev().max_by_key(fixed).expect("there is a program");
    let (inputs, words) = functions::inputs(args, &narrowest.function)?;
    for program in &mut programs {
        report.agreement.extend(compare::as_expected(args, program)?);
    }
    let (first, others) = programs.split_first_mut().expect("there is a program");
    let mut agreed = Vec::new();
    for other in others {
        agreed.push(compare::same_outputs(args, first, other, &inputs)?);
    }
    agreed.dedup();
    report.agreement.extend(agreed);
    printer.verbose(format!("inputs: {}", words.join(" ")));

    let caches = args.cold.then(CacheEviction::new);
    let plan = Plan::of(args, caches.as_ref());
    let mut subjects: Vec<_> = programs.iter_mut().map(|p| p.subject(&inputs)).collect();
    let samples = measure(plan, &mut subjects)?;
    if let Some(counters) = &mut counters {
        report.counters.extend(counters.count(function, &mut subjects[0], samples[0].seconds.len())?);
    }
    drop(subjects);
    let results: Vec<Measurement> =
        programs.iter().zip(samples).map(|(p, samples)| Measurement::new(&p.function.name, &p.name, samples)).collect();
    let threads = programs[0].instance.threads();
    for warning in results.iter().filter_map(|m| warn::of_samples(m, args.warmup.is_some(), threads, &report.machine)) {
        printer.diagnostic(&warning);
    }
    for other in &results[1..] {
        let comparison = Comparison::new(&results[0], other);
        report.comparison.get_or_insert_with(|| comparison.clone());
        report.comparisons.push(comparison);
    }
    let mut dispatches = Vec::new();
    if let Some(how) = how(args) {
        // Peaks of other devices are not measured.
        if programs[0].instance.program().device_title().is_none() && report.peaks.is_none() {
            report.peaks = Some(peaks::of(threads, args.measure_peaks, printer));
        }
        dispatches = dispatches::measure_all(how, plan, &mut programs, &inputs, report.peaks.as_ref())?;
        for other in &dispatches[1..] {
            report.comparisons.extend(dispatches::compared(&dispatches[0], other));
        }
    }
    report.threads = threads;
    report.device = programs[0].instance.program().device_title();
    report.inputs.extend(words);
    // Functions first, then their dispatches.
    let place = report.results.iter().position(|m| m.dispatch.is_some()).unwrap_or(report.results.len());
    report.results.splice(place..place, results);
    report.results.extend(dispatches.into_iter().flatten());
    Ok(())
}
