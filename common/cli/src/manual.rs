//! Descriptions of a tool for other programs: `--completions SHELL` and `--man`.
//!
//! Both work on any command line that starts with them, so that packagers need not know a tool's required arguments.
use crate::{ToolArgs, help, output::write_stdout};
use clap::{Command, ValueEnum};
use clap_complete::Shell;
use halyard_diag::{Error, Result};
use std::ffi::OsString;

/// Prints what was asked for, if the first argument asks for it.
pub(crate) fn requested<A: ToolArgs>(argv: &[OsString]) -> Option<Result<()>> {
    let first = argv.get(1)?.to_str()?;
    if first == "--man" {
        return Some(page::<A>().and_then(|text| write_stdout(&text)));
    }
    let shell = match first.strip_prefix("--completions")? {
        "" => argv.get(2).map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(),
        value => value.strip_prefix('=')?.to_owned(),
    };
    Some(completions(help::command::<A>(), &shell).and_then(|text| write_stdout(&text)))
}

/// Returns the manual page, in roff.
fn page<A: ToolArgs>() -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let manual = clap_mangen::Man::new(help::options::<A>());
    manual.render(&mut text).map_err(|e| Error::io("write", "<stdout>", &e))?;
    for section in help::sections::<A>() {
        let lines: String = section.lines.iter().map(|line| format!("{}\n", escaped(line))).collect();
        text.extend(format!(".SH \"{}\"\n.nf\n{lines}.fi\n", section.heading.to_uppercase()).into_bytes());
    }
    Ok(text)
}

/// A line of text for roff, which must not begin like a request.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

fn completions(mut command: Command, shell: &str) -> Result<Vec<u8>> {
    let Ok(shell) = Shell::from_str(shell, true) else {
        let known: Vec<_> = Shell::value_variants().iter().map(|s| format!("`{s}`")).collect();
        return Err(Error::usage(format!("no completions for the shell `{shell}`"))
            .note(format!("known shells are {}", known.join(", "))));
    };
    let mut text = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command, name, &mut text);
    Ok(text)
}
