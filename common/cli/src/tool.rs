//! What a tool tells the command-line layer about itself.
use crate::GlobalArgs;
use std::ffi::OsString;

/// A tool's arguments.
pub trait ToolArgs: clap::Parser {
    /// Command lines worth copying, one a line, shown at the end of `--help` and in the manual page.
    const EXAMPLES: &'static str = "";

    /// The flags that `-h` shows, without dashes; all if there are none.
    const COMMON: &'static [&'static str] = &[];

    /// Tools and documents to read next, one kind a line, shown at the end of `--help` and in the manual page.
    const SEE_ALSO: &'static str = "";

    /// Returns the common flags.
    fn global(&self) -> &GlobalArgs;

    /// Flags that people write who know other tools, and what to write here, shown as a tip.
    const MEANT: &'static [(&'static str, &'static str)] = &[];

    /// A flag that was perhaps meant by an unknown one, beside those that the parser knows.
    fn suggest(_unknown: &str) -> Option<String> {
        None
    }

    /// Maps a flag of another project to the equivalent flag of this tool, or to `Some(None)` if there is none. The
    /// result replaces the parser's own suggestion.
    fn foreign(_unknown: &str) -> Option<Option<String>> {
        None
    }

    /// Maps a flag that a shared crate names in a message to its name in this tool. The result may include the tool
    /// that has the flag: `hal-link --weights-path`.
    fn renamed(_flag: &str) -> Option<&'static str> {
        None
    }

    /// Additional text for `--help` with this command line: the options of the plugins that it enables.
    fn help_more(_argv: &[OsString]) -> Option<String> {
        None
    }

    /// Rewrites the command line (the first is the tool's name) before it is parsed.
    fn prepare(argv: Vec<OsString>) -> Vec<OsString> {
        argv
    }
}
