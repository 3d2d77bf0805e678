//! Reports, with a file per format.

mod csv;
mod fit;
mod json;
mod markdown;
mod table;
pub(crate) mod terminal;
#[cfg(test)]
mod tests;

use crate::{BenchmarkArgs, record::Report};
use halyard_cli::{Printer, write_output};
use halyard_diag::Result;

/// Writes the reports that the command line asks for. Errors: a file that cannot be written.
pub(crate) fn write(args: &BenchmarkArgs, report: &Report, printer: &Printer) -> Result<()> {
    let forms = [&args.json, &args.csv, &args.markdown].into_iter().zip([json::text, csv::text, markdown::text]);
    for (path, text) in forms {
        if let Some(path) = path {
            write_output(path, text(report).as_bytes())?;
            printer.verbose(format!("wrote {}", path.display()));
        }
    }
    Ok(())
}

/// Returns what it ran on: `4 threads`, or a device other than the CPU.
fn on(report: &Report) -> String {
    match (&report.device, report.threads) {
        (Some(device), _) => device.clone(),
        (None, 1) => "1 thread".into(),
        (None, n) => format!("{n} threads"),
    }
}
