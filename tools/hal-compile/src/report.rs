//! `--report`: `hal-report` on the program that was linked, with what only the compiler knows of its executables.
use crate::{
    CompileArgs,
    plan::{Plan, Step},
};
use hal_translate::{Explain, TranslationReport};
use halyard_cli::Printer;
use halyard_diag::{Diagnostic, Error, Result, quote};
use halyard_exec::{Scratch, Tool};
use std::{ffi::OsString, fs, path::PathBuf};

/// A report that is to be written.
pub(crate) struct RequestedReport {
    output: PathBuf,
    tool: Tool,
    /// Whether the program is run: it has code for this machine.
    runs: bool,
    /// Where the files of executables lie until they are in the report.
    files: Scratch,
}

/// Fails if a report is asked for of a program that is not linked.
pub(crate) fn check(args: &CompileArgs) -> Result<()> {
    let Some(output) = &args.report else { return Ok(()) };
    let refuse = |why: &str| Err(Error::usage(format!("`--report` shows a linked program, and {why}")));
    match (args.to, args.graph()) {
        (Some(_), _) => refuse("`--to` stops before it is linked").map_err(|e| e.hint("leave out `--to`")),
        (_, Some(_)) => refuse("with `--emit` of a build graph nothing is linked yet")
            .map_err(|e| e.hint("build the graph, then run `hal-report` on the program")),
        _ if args.output.as_ref() == Some(output) => {
            Err(Error::usage(format!("`--report` and `--output` both name `{}`", output.display())))
        }
        _ => Ok(()),
    }
}

/// Returns the command that shows a program without what the compiler knows, for `--dry-run`.
pub(crate) fn command(args: &CompileArgs) -> Option<String> {
    let report = args.report.as_ref()?;
    let mut words = vec!["hal-report".to_owned(), quote(&args.output.as_ref()?.display().to_string())];
    words.extend((!runs_here(&args.target)).then(|| "--no-run".to_owned()));
    words.extend(["-o".to_owned(), quote(&report.display().to_string())]);
    Some(words.join(" "))
}

/// Whether one of the targets is this machine.
fn runs_here(targets: &[String]) -> bool {
    let mut names = targets.iter().flat_map(|t| t.split(','));
    targets.is_empty() || names.any(|t| matches!(t, "cpu" | "cpu:native" | "cpu:portable"))
}

impl RequestedReport {
    /// Finds `hal-report` before anything is compiled, and has the sources of executables dumped for it. Errors: it is not
    /// installed.
    pub(crate) fn prepare(args: &mut CompileArgs) -> Result<Option<Self>> {
        let Some(output) = args.report.clone() else { return Ok(None) };
        let (tool, files) = (Tool::of_halyard("hal-report")?, Scratch::new("report")?);
        args.dump.report = Some(files.path().to_owned());
        Ok(Some(Self { output, tool, runs: runs_here(&args.target), files }))
    }

    /// Writes it. Errors: what `hal-report` says.
    pub(crate) fn write(&self, plan: &Plan<'_>, report: Option<&TranslationReport>, printer: &Printer) -> Result<()> {
        let mut words: Vec<OsString> = vec![plan.output.into(), "-o".into(), (&self.output).into()];
        words.extend((!self.runs).then(|| "--no-run".into()));
        if plan.steps.contains(&Step::Translate) {
            let schedules = report.map_or_else(String::new, |r| r.explain(Explain::Schedule));
            if schedules.lines().any(|line| line.starts_with('@')) {
                words.extend(["--schedule".into(), self.files.write("schedules.txt", schedules.as_bytes())?.into()]);
            }
            let mut files = fs::read_dir(self.files.path()).map_err(|e| Error::io("read", self.files.path(), &e))?;
            if files.any(|file| file.is_ok_and(|f| f.path().extension().is_some_and(|e| e == "mlir"))) {
                words.extend(["--files-from".into(), self.files.path().into()]);
            }
        }
        let finished = self.tool.call(&words).run()?;
        printer.stderr(&String::from_utf8_lossy(finished.stderr.bytes()));
        if !self.runs {
            let note = format!("`{}` has no times: `--target` names other machines", self.output.display());
            let again = format!("hal-report {} -o {}", plan.output.display(), self.output.display());
            printer.diagnostic(&Diagnostic::warning(note).hint(format!("on one of them, run `{again}`")));
        }
        Ok(())
    }
}
