//! `hal-report`: shows a linked program in one HTML file that needs nothing else.
//!
//! `graph` reads the host program, `measure` runs it, `executables` puts both together; `page` writes the HTML, whose
//! script and style are made from `page/` by `page/build` and committed; `drawing` writes the graph as DOT and SVG.

mod args;
mod assembly;
mod code;
mod data;
mod drawing;
mod executables;
mod graph;
mod inputs;
mod measure;
mod page;
mod run;
mod timeline;

pub use args::ReportArgs;
pub use run::run;

/// The entry point of the tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
