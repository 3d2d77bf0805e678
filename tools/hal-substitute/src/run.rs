//! The tool.
use crate::{Before, SubstituteArgs, SubstitutionReport, source::remark, substitute};
use halyard_cli::{Printer, read_input, write_ir};
use halyard_diag::Result;
use halyard_ir::{
    Session,
    form::{load_program, write},
};

/// Runs `hal-substitute`.
pub fn run(args: SubstituteArgs, printer: &Printer) -> Result<()> {
    halyard_ir::load_plugins(&[], args.libraries.dialects())?;
    args.depfile.check(&args.output.output)?;
    let (input, what) = args.parts()?;
    let input = read_input(&input)?;
    let session = Session::until_exit();
    let (_module, program) = load_program(session, &input.bytes, &input.name)?;
    let before = args.verify.verify.filter(|_| !args.dry_run).map(|_| Before::of(program));
    let report = substitute(session, program, &what)?;
    if let (Some(before), Some(runs)) = (before, args.verify.verify) {
        before.verify(session, program, runs)?.iter().for_each(|note| printer.diagnostic(note));
    }
    if args.dry_run {
        return printer.stdout(&list(&report));
    }
    write_ir(&args.output, &write(program.op, args.output.bytecode()), args.output.bytecode())?;
    tell(&report, printer);
    args.depfile.write(&[&args.output.output])
}

/// Warnings, what goes with the substitutions, and the summary, on standard error.
pub fn tell(report: &SubstitutionReport, printer: &Printer) {
    report.warnings.iter().for_each(|w| printer.diagnostic(w));
    report.notes.iter().for_each(|text| printer.note(text.clone()));
    for made in &report.made {
        made.remarks.iter().for_each(|text| printer.diagnostic(&remark(&made.name, text)));
        made.details.iter().for_each(|text| printer.verbose(format!("`{}`: {text}", made.name)));
    }
    printer.note(report.summary());
}

/// `NAME <- FILES (KIND)`, a line each, with the remarks below.
fn list(report: &SubstitutionReport) -> String {
    let mut text = String::new();
    for made in &report.made {
        text += &format!("{} <- {} ({})\n", made.name, made.files, made.kind);
        text.extend(made.remarks.iter().chain(&made.details).map(|r| format!("  {r}\n")));
    }
    text.extend(report.notes.iter().map(|n| format!("note: {n}\n")));
    text.extend(report.warnings.iter().map(|w| format!("{}: {}\n", w.severity.as_str(), w.message)));
    text + &report.summary().replace("applied", "would be applied") + "\n"
}
