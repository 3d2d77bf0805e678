//! What `-h`, `--help` and the manual page say beside the options: examples, exit codes, further reading.
use crate::{ToolArgs, exit};
use clap::Command;

/// As many examples are shown by `-h`, which fits a screen.
const SHOWN: usize = 5;

/// A section after the options: its heading and its lines.
pub(crate) struct Section {
    pub(crate) heading: &'static str,
    pub(crate) lines: Vec<String>,
}

/// The sections of a tool, in order.
pub(crate) fn sections<A: ToolArgs>() -> Vec<Section> {
    let lines = |text: &str| text.trim_matches('\n').lines().map(|l| l.trim().to_owned()).collect();
    let name = A::command().get_name().to_owned();
    let mut also: Vec<String> = lines(A::SEE_ALSO);
    also.push(format!("`{name} --man` (manual page), `{name} --completions=SHELL`, docs/README.md"));
    let all = [("Examples", lines(A::EXAMPLES)), ("Exit status", lines(exit::CODES)), ("See also", also)];
    all.into_iter().filter(|(_, l)| !l.is_empty()).map(|(heading, lines)| Section { heading, lines }).collect()
}

/// The command of a tool with the version text, and which options `-h` shows.
pub(crate) fn options<A: ToolArgs>() -> Command {
    let command =
        A::command().version(concat!(env!("CARGO_PKG_VERSION"), " (LLVM ", env!("HALYARD_LLVM_VERSION"), ")"));
    if A::COMMON.is_empty() {
        return command;
    }
    let known = |flag: &&str| command.get_arguments().any(|arg| arg.get_long() == Some(flag));
    debug_assert_eq!(A::COMMON.iter().find(|flag| !known(flag)), None, "no such flag");
    command.mut_args(|arg| match arg.get_long() {
        Some(flag) if !A::COMMON.contains(&flag) => arg.hide_short_help(true),
        _ => arg,
    })
}

/// The clap command of a tool, with what all tools share: the version text, the examples and the exit codes.
pub fn command<A: ToolArgs>() -> Command {
    let command = options::<A>();
    let sections = sections::<A>();
    let text = |s: &Section| {
        let lines: String = s.lines.iter().map(|line| format!("\n  {line}")).collect();
        format!("{}:{lines}", s.heading)
    };
    let long: Vec<String> = sections.iter().map(text).collect();
    let hidden = command.get_arguments().filter(|a| a.is_hide_short_help_set() && !a.is_hide_set()).count();
    let more = match hidden {
        0 => "See `--help` for details and exit codes.".to_owned(),
        n => format!("See `--help` for details, {n} further options, and exit codes."),
    };
    let first = |s: &Section| Section { heading: s.heading, lines: s.lines.iter().take(SHOWN).cloned().collect() };
    let examples = sections.iter().find(|s| s.heading == "Examples");
    let examples = examples.map(|s| text(&first(s)) + "\n\n").unwrap_or_default();
    command.after_help(examples + &more).after_long_help(long.join("\n\n"))
}
