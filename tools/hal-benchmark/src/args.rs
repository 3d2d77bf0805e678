//! The command line.
use clap::{Parser, ValueEnum};
use halyard_cli::{GlobalArgs, ToolArgs};
use halyard_programs::{LoadArgs, SizeArgument};
use halyard_tensors::{TensorArgument, state_argument};
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// How dispatches are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PerExecutable {
    /// Within calls of the function, after the dispatches before them
    InPlace,
    /// Repeatedly and alone, with the buffers of a call
    Isolated,
}

/// Measure linked programs and their executables
///
/// Calls a function repeatedly (to warm up, then at least 10 times and for at least 1 s) and reports the median, the
/// median absolute deviation (MAD) and the 95 % confidence interval of the median. Before each call, unmeasured, states
/// are reset to their initial values or those of --state-in. Given several programs, it checks that their outputs agree,
/// then measures them by turns and reports how much faster each is than the first one.
#[derive(Debug, Parser)]
#[command(name = "hal-benchmark")]
pub struct BenchmarkArgs {
    /// Linked programs (.so): one, or several to compare with the first
    #[arg(value_name = "PROGRAM", required_unless_present_any = ["list_plugins", "list_devices", "peaks"], num_args = 1..)]
    pub programs: Vec<PathBuf>,
    /// Measure this function [default: the only one, or main]
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Pass a tensor, such as 1x784xf32=random:7 or @x.npy; repeatable
    #[arg(long = "input", short, value_name = "TENSOR", allow_hyphen_values = true, long_help = format!("Pass a tensor; repeatable. Inputs that are not given are random:0, random:1, ...\n\n{}", halyard_tensors::SYNTAX))]
    pub inputs: Vec<TensorArgument>,
    /// Set a dynamic size of inputs without --input: NAME of a size, or INPUT.DIMENSION such as x.0; repeatable
    #[arg(long, value_name = "NAME=SIZE")]
    pub dim: Vec<SizeArgument>,
    /// Start each call with states from FILE (.npz, .safetensors), or with one written as for --input; repeatable
    ///
    /// Other states start with their initial values.
    #[arg(long, value_name = "FILE|TENSOR", value_parser = state_argument, allow_hyphen_values = true)]
    pub state_in: Vec<TensorArgument>,
    /// Also measure each dispatch, in place or isolated
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "in-place")]
    pub per_executable: Option<PerExecutable>,
    /// List the dispatches that are slower than this part of their roofline, such as 50%
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub below: Option<f64>,
    /// Print the peak rates of this machine with one thread and with all, or with --threads, and stop
    #[arg(long, conflicts_with_all = ["programs", "below", "per_executable", "csv", "markdown"])]
    pub peaks: bool,
    /// Measure the peaks of this machine again instead of using those in the user's cache
    #[arg(long)]
    pub measure_peaks: bool,
    /// What the program needs beside its file.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Measure at least N times
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Measuring")]
    pub runs: u32,
    /// Measure for at least DURATION: `5s`, `500ms`
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = halyard_cli::duration_or_zero, help_heading = "Measuring")]
    pub min_time: Duration,
    /// Run N times before measuring [default: for a tenth of the measuring time, at least once]
    #[arg(long, value_name = "N", help_heading = "Measuring")]
    pub warmup: Option<u32>,
    /// Empty the caches before each run; dispatches are measured --per-executable=isolated
    #[arg(long, help_heading = "Measuring")]
    pub cold: bool,
    /// Count cycles, instructions and cache misses of a call, where the kernel and the processor let it; one program
    ///
    /// Counts are of all threads in user mode, per call, over as many calls as were measured. Without counters of the
    /// processor (in many virtual machines) those of the kernel are shown: time on CPUs, page faults, context switches.
    #[arg(long, conflicts_with = "peaks", help_heading = "Measuring")]
    pub perf: bool,
    /// When comparing: accept |b - a| <= atol + R * |a| [default: by type, f32 1e-5]
    #[arg(long, value_name = "R", help_heading = "Measuring")]
    pub rtol: Option<f64>,
    /// When comparing: accept this absolute difference [default: by type, f32 1e-5]
    #[arg(long, value_name = "A", help_heading = "Measuring")]
    pub atol: Option<f64>,
    /// Write all results and samples as JSON to FILE; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub json: Option<PathBuf>,
    /// Write a line per result as CSV to FILE; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub csv: Option<PathBuf>,
    /// Write tables as Markdown to FILE; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub markdown: Option<PathBuf>,
    /// Common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

impl ToolArgs for BenchmarkArgs {
    const EXAMPLES: &'static str = "
        hal-benchmark mlp.so --threads=1
        hal-benchmark resnet.so --per-executable --input=@image.npy
        hal-benchmark before.so after.so --json=run.json
        hal-benchmark mlp.so --runs=50 --min-time=0 --csv=-
        hal-benchmark bert.so --dim=batch=1 --dim=sequence=128 --below=50%
        hal-benchmark --peaks --json=peaks.json";

    const COMMON: &'static [&'static str] =
        &["input", "dim", "per-executable", "below", "peaks", "threads", "device", "runs", "json"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--iterations", "`--runs=N` measures at least N times, `--min-time=DURATION` for at least so long"),
        ("--repeat", "`--runs=N` measures at least N times, `--min-time=DURATION` for at least so long"),
        ("--num-runs", "`--runs=N` measures at least N times, `--min-time=DURATION` for at least so long"),
        ("--calls", "`--runs=N` measures at least N times, `--min-time=DURATION` for at least so long"),
        ("--per-kernel", "`--per-executable` measures each dispatch"),
        ("--profile", "`--per-executable` measures each dispatch; `hal-report` shows where their time goes"),
    ];

    const SEE_ALSO: &'static str = "
        hal-run (runs once), hal-tune (chooses kernels by measurement), hal-extract --as=benchmark (a program of one kernel)
        docs/measuring.md";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }

    fn help_more(argv: &[OsString]) -> Option<String> {
        halyard_manifest::help(argv)
    }
}

/// Parses `50%` as a fraction of 1.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok());
    number.filter(|n| *n > 0.0 && n.is_finite()).map(|n| n / 100.0).ok_or_else(|| "not a percentage such as 50%".into())
}
