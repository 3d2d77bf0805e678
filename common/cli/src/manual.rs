//! Descriptions of a tool for other programs: `--completions SHELL` and `--man`.
//!
//! Both work on any command line that starts with them, so that packagers need not know a tool's required arguments.
use crate::output::write_stdout;
use clap::{Command, ValueEnum};
use clap_complete::Shell;
use halyard_diag::{Error, Result};
use std::ffi::OsString;

/// Prints what was asked for, if the first argument asks for it.
pub(crate) fn requested(argv: &[OsString], command: &Command) -> Option<Result<()>> {
    let first = argv.get(1)?.to_str()?;
    if first == "--man" {
        return Some(page(command).and_then(|text| write_stdout(&text)));
    }
    let shell = match first.strip_prefix("--completions")? {
        "" => argv.get(2).map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(),
        value => value.strip_prefix('=')?.to_owned(),
    };
    Some(completions(command, &shell).and_then(|text| write_stdout(&text)))
}

/// Returns the manual page, in roff.
fn page(command: &Command) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let manual = clap_mangen::Man::new(command.clone());
    manual.render(&mut text).map_err(|e| Error::io("write", "<stdout>", &e))?;
    Ok(text)
}

fn completions(command: &Command, shell: &str) -> Result<Vec<u8>> {
    let Ok(shell) = Shell::from_str(shell, true) else {
        let known: Vec<_> = Shell::value_variants().iter().map(|s| format!("`{s}`")).collect();
        return Err(Error::usage(format!("no completions for the shell `{shell}`"))
            .note(format!("known shells are {}", known.join(", "))));
    };
    let mut text = Vec::new();
    let mut command = command.clone();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command, name, &mut text);
    Ok(text)
}
