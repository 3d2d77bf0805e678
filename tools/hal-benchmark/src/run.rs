//! The tool's work, in order.
use crate::{
    Args, compare, dispatches, functions,
    machine::Machine,
    measure::{Plan, measure},
    record::{Comparison, Measurement, Report, SCHEMA},
    report, warn,
};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use std::path::Path;

/// Runs the tool. Errors: programs that cannot be loaded, inputs that do not fit, two programs that return different
/// things.
pub fn run(args: Args, printer: &Printer) -> Result<()> {
    let to_stdout = [&args.json, &args.csv, &args.markdown].into_iter().flatten().filter(|p| *p == Path::new("-")).count();
    if to_stdout > 1 {
        return Err(Error::usage("only one report can go to standard output").hint("give the others file names"));
    }
    let machine = Machine::here();
    let mut programs = args.programs.iter().map(|path| functions::load(path, &args)).collect::<Result<Vec<_>>>()?;
    let (inputs, words) = functions::inputs(&args, &programs[0].function)?;
    if let [a, b] = &mut programs[..] {
        compare::same_signature(a, b)?;
        compare::same_outputs(&args, a, b, &inputs)?;
    }
    printer.verbose(format!("inputs: {}", words.join(" ")));
    if let Some(warning) = warn::of_machine(&machine) {
        printer.diagnostic(&warning);
    }

    let plan = Plan::of(&args);
    let mut subjects: Vec<_> = programs
        .iter_mut()
        .map(|p| functions::subject(&mut p.instance, &p.function.name, &inputs))
        .collect();
    let samples = measure(plan, &mut subjects)?;
    drop(subjects);
    let mut results: Vec<Measurement> =
        programs.iter().zip(samples).map(|(p, samples)| Measurement::new(&p.function.name, &p.name, samples)).collect();
    let threads = programs[0].instance.threads();
    for warning in results.iter().filter_map(|m| warn::of_samples(m, args.warmup.is_some(), threads, &machine)) {
        printer.diagnostic(&warning);
    }
    let comparison = if let [a, b] = &results[..] { Some(Comparison::new(a, b)) } else { None };
    if let Some(how) = args.per_executable {
        for program in &mut programs {
            results.extend(dispatches::measure_all(how, plan, program, &inputs)?);
        }
    }
    let report = Report { schema: SCHEMA, machine, threads, inputs: words, results, comparison };
    report::write(&args, &report, printer)?;
    if to_stdout == 0 {
        printer.stdout(&report::terminal::text(&report))?;
    }
    Ok(())
}
