//! `--list-targets`: what `--target` accepts.
use crate::{CpuTarget, device::usage, target::KINDS};
use halyard_diag::{Result, either, nearest};
use std::fmt::Write;

/// The form of a target and what it means, as `--list-targets` shows it.
#[derive(Debug, Clone)]
pub struct TargetLine {
    /// What to write after `--target=`.
    pub form: String,
    /// What it is.
    pub words: String,
}

/// Lists all kinds of targets and this machine's; `others` are those of plugins.
pub fn list_targets(others: &[TargetLine]) -> String {
    let own = KINDS.iter().flat_map(|kind| kind.forms);
    let own = own.map(|(form, words)| TargetLine { form: (*form).to_owned(), words: (*words).to_owned() });
    let lines: Vec<TargetLine> = own.chain(others.iter().cloned()).collect();
    let width = lines.iter().map(|line| line.form.len()).max().unwrap_or(0);
    let mut text = format!("This machine is {}\n\n", CpuTarget::host());
    for TargetLine { form, words } in &lines {
        let _ = writeln!(text, "  {form:width$}  {words}");
    }
    text += "\nChips and features: `--list-targets=cpu`, `--list-targets=cpu:@aarch64-linux-gnu`, and so on\n";
    text
}

/// Lists the names that may stand in a target: a kind's chips, or a chip's features; a name per line. Errors: a target that
/// does not exist.
pub fn list_target(item: &str) -> Result<String> {
    let (name, rest) = item.split_once(':').unwrap_or((item, ""));
    let Some(kind) = KINDS.iter().find(|kind| kind.name == name) else {
        let names = || KINDS.iter().map(|kind| kind.name);
        let near = nearest(name, names());
        let error = usage(format!("unknown target `{item}`"));
        let all: Vec<&str> = names().collect();
        return Err(error.hint(format!("did you mean {}?", either(if near.is_empty() { &all } else { &near }))));
    };
    let mut text = String::new();
    for list in (kind.names)(rest)? {
        let _ = writeln!(text, "{}:", list.title);
        for name in list.names {
            let _ = writeln!(text, "  {name}");
        }
    }
    Ok(text)
}
