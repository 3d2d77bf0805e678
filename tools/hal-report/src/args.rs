//! The command line.
use clap::{Parser, ValueEnum};
use halyard_cli::{GlobalArgs, ToolArgs};
use halyard_programs::LoadArgs;
use halyard_tensors::TensorArgument;
use std::{ffi::OsString, path::PathBuf};

/// Show a linked program in one HTML file
///
/// The file needs no network: the dispatch graph, which thread runs what when, the memory plan, and a table of the
/// executables with their times, share of the roofline, origin in the model and assembly. With two programs, the
/// second is compared with the first. The program is run on the given inputs, and on random ones where none are given.
#[derive(Debug, Parser)]
#[command(name = "hal-report")]
pub struct ReportArgs {
    /// The linked program (.so), and optionally one to compare with it
    #[arg(value_name = "PROGRAM", required = false, num_args = 1..=2, required_unless_present_any = ["list_plugins", "list_devices"])]
    pub programs: Vec<PathBuf>,
    /// Write to FILE; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// Show this function [default: the only one, or main]
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Pass a tensor, such as 1x784xf32=random:7 or @x.npy; repeatable [default: random]
    #[arg(long = "input", short, value_name = "TENSOR", allow_hyphen_values = true, conflicts_with = "no_run", long_help = format!("Pass a tensor; repeatable\n\n{}", halyard_tensors::SYNTAX))]
    pub inputs: Vec<TensorArgument>,
    /// Use size N for dynamic dimensions of missing inputs
    #[arg(long, value_name = "N", conflicts_with = "no_run", value_parser = clap::value_parser!(u32).range(1..))]
    pub size: Option<u32>,
    /// Measure N calls of each program, by turns
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "no_run", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Run nothing: the report then depends on the program alone, to the byte
    #[arg(long)]
    pub no_run: bool,
    /// Leave the assembly out
    #[arg(long)]
    pub no_assembly: bool,
    /// Show MLIR, stages and LLVM IR of executables from FOLDER, which hal-compile --dump-executable-files-to and
    /// --dump-executable-stages-to wrote
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with = "graph",
        help_heading = "What the compiler and the tuner know"
    )]
    pub files_from: Option<PathBuf>,
    /// Show the schedules from FILE, the output of hal-compile --explain=schedule
    #[arg(long, value_name = "FILE", conflicts_with = "graph", help_heading = "What the compiler and the tuner know")]
    pub schedule: Option<PathBuf>,
    /// Show what hal-tune tried for each executable: a tuning database, or a file of its --trials
    #[arg(long, value_name = "FILE", conflicts_with = "graph", help_heading = "What the compiler and the tuner know")]
    pub tuning: Option<PathBuf>,
    /// Write the dispatch graph alone, as a drawing or for Graphviz
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub graph: Option<GraphFormat>,
    /// What the program needs beside its file.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// A format of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// For Graphviz
    Dot,
    /// A drawing
    Svg,
}

impl ToolArgs for ReportArgs {
    const EXAMPLES: &'static str = "
        hal-report mlp.so -o mlp.html
        hal-report mlp.so --input=@x.npy --runs=50 -o mlp.html
        hal-report before.so after.so -o compared.html
        hal-compile mlp.onnx -o mlp.so --dump-executable-{files,stages}-to=mlp.d --explain=schedule 2> mlp.txt
        hal-report mlp.so --files-from=mlp.d --schedule=mlp.txt -o mlp.html
        hal-report mlp.so --tuning=tuning.db -o mlp.html
        hal-report mlp.so --no-run -o mlp.html
        hal-report mlp.so --graph=svg -o mlp.svg";

    const COMMON: &'static [&'static str] =
        &["output", "input", "function", "runs", "no-run", "graph", "threads", "device", "timeout"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--format", "a report is HTML; `--graph=svg` and `--graph=dot` draw the graph alone"),
        ("--svg", "`--graph=svg` draws the graph alone"),
        ("--profile", "hot spots are in the report whenever the program is run"),
        ("--json", "`hal-benchmark --json=FILE` writes the times as JSON"),
        ("--trials", "`--tuning=FILE` reads a tuning database, or the file of `hal-tune --trials`"),
    ];

    const SEE_ALSO: &'static str = "
        hal-benchmark (measures accurately), hal-run --trace (a trace for Perfetto), hal-extract (one executable as files)
        docs/report.md, docs/measuring.md, docs/extraction.md";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }

    fn help_more(argv: &[OsString]) -> Option<String> {
        halyard_manifest::help(argv)
    }
}
