//! `hal-report`: shows a linked program in one HTML file that needs nothing else.
//!
//! `graph` reads the host program, `measure` runs it, `executables` puts both together; `code` and `stages` read what the
//! compiler wrote, `tuning` what `hal-tune` measured; `hot` puts samples on the lines of `assembly`; `page` writes the HTML, whose
//! script and style are made from `page/` by `page/build` and committed; `drawing` writes the graph as DOT and SVG.

mod args;
mod assembly;
mod code;
mod data;
mod drawing;
mod executables;
mod graph;
mod hot;
mod inputs;
mod measure;
mod page;
mod run;
mod stages;
mod timeline;
mod tuning;

pub use args::ReportArgs;
pub use run::run;

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
