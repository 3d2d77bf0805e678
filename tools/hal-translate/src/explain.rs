//! Reports on a translation: `--explain`, `--schedules-json`.
use crate::TranslationReport;
use clap::ValueEnum;
use halyard_cli::{Printer, write_output};
use halyard_diag::{Error, Result};
use std::path::{Path, PathBuf};

/// What to say.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ExplainArgs {
    /// Report on standard error how each executable was translated [default WHAT: translation]
    #[arg(long, value_name = "WHAT[,…]", value_enum, num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "translation")]
    pub explain: Vec<Explain>,
    /// Write each kernel's schedule and the legal values of each key to FILE as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub schedules_json: Option<PathBuf>,
}

/// What to explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Explain {
    /// The strategy for each export and the reasons, in words
    Translation,
    /// Each kernel's schedule, in the syntax of `hal.schedule`
    Schedule,
    /// Each kernel's schedule with the legal values of each key: one JSON object per line and export
    ScheduleSpace,
}

impl ExplainArgs {
    /// Fails if FILE and the output are both standard output.
    pub fn check(&self, output: Option<&Path>) -> Result<()> {
        let stdout = Some(Path::new("-"));
        if self.schedules_json.as_deref() == stdout && output == stdout {
            return Err(Error::usage("`--schedules-json` and the output both go to standard output")
                .hint("name a file for one of them"));
        }
        Ok(())
    }

    /// The arguments for a tool with these flags.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let name = |what: &Explain| what.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned());
        let explain: Vec<String> = self.explain.iter().map(|what| format!("--explain={}", name(what))).collect();
        explain
            .into_iter()
            .chain(self.schedules_json.as_ref().map(|path| format!("--schedules-json={}", path.display())))
    }

    /// Prints the requested reports. Fails if FILE cannot be written.
    pub fn tell(&self, report: &TranslationReport, printer: &Printer) -> Result<()> {
        self.explain.iter().for_each(|what| printer.stderr(&report.explain(*what)));
        let Some(path) = &self.schedules_json else { return Ok(()) };
        write_output(path, format!("{:#}\n", report.schedules_json()).as_bytes())
    }
}
