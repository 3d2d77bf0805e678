//! The command line.
use crate::{budget::SearchBudget, database::DatabaseArgs, files::CandidateFile};
use clap::Parser;
use hal_substitute::Workgroups;
use hal_translate::KernelFastMath;
use halyard_cli::{DepfileArgs, GlobalArgs, JobsArgs, OutputArgs, ToolArgs, duration};
use halyard_manifest::PluginArgs;
use halyard_programs::SizeArgument;
use halyard_runtime::DeviceName;
use std::{path::PathBuf, time::Duration};

/// Choose kernels by measurement
///
/// Reads a program in phase `executables`, tries other schedules for its kernels on this CPU or on a GPU, and writes the program with
/// the winners as `hal.schedule` attributes. Each candidate is compared with the plain lowering of its source on random
/// inputs, then timed alternately with the current kernel. A candidate wins only if it is faster beyond the noise of the
/// measurement, which is determined by timing the current kernel against a copy of itself.
///
/// With --list, --check, --merge, --export or --prune it manages a tuning database instead.
#[derive(Debug, Parser)]
#[command(name = "hal-tune")]
pub struct TuneArgs {
    /// The program; - is standard input
    #[arg(value_name = "INPUT", default_value = "-", conflicts_with = "database")]
    pub input: PathBuf,
    /// Measure kernels on this device: cpu, vulkan[:N], cuda[:N] [default: that of --target]
    ///
    /// Without a number, use the first discrete GPU, else the first device; `hal-run --list-devices` shows the numbers.
    #[arg(long, value_name = "DEVICE", conflicts_with = "database")]
    pub device: Option<DeviceName>,
    /// The target to tune for; the device must be able to run its code [default: that of --device, or cpu]
    #[arg(long, value_name = "TARGET", allow_hyphen_values = true, conflicts_with = "database")]
    pub target: Option<String>,
    /// Tune these executables only: NAME or a pattern, `key:0123abcd…`, `origin:NODE` or a pattern; repeatable
    #[arg(long, value_name = "NAME", conflicts_with = "database")]
    pub executable: Vec<String>,
    /// Measure with this size of a dynamic dimension: its NAME, or INPUT.DIMENSION such as x.0; repeatable
    ///
    /// Executables with dynamic sizes are timed at the sizes that follow from it, and verified at others, too.
    #[arg(long, value_name = "NAME=SIZE", conflicts_with = "database")]
    pub dim: Vec<SizeArgument>,
    /// Stop after this time, such as 30s or 10m, or after this many candidates
    ///
    /// The budget is divided among executables by the time that a call of the program spends in each.
    #[arg(long, value_name = "TIME|NUMBER", default_value = "60s", conflicts_with = "database")]
    pub budget: SearchBudget,
    /// Let FILE compete with the kernel of executable NAME, or a pattern, as for --executable; repeatable
    ///
    /// FILE is what hal-substitute takes (MLIR, an object, an archive, LLVM IR, assembly, a schedule), C, or GLSL for Vulkan. It
    /// runs in a process of its own, and also on fresh inputs in the same buffers. A transform script, FILE.mlir[seq=NAME]{KNOB=VALUE},
    /// is as many candidates as its other knobs and alternatives have values.
    #[arg(long, value_name = "NAME=FILE", conflicts_with = "database")]
    pub candidate: Vec<CandidateFile>,
    /// Set the workgroup count of candidates that are objects, C or GLSL [default: 1]
    #[arg(long, value_name = "NAME=X[,Y[,Z]]", conflicts_with = "database")]
    pub workgroups: Vec<Workgroups>,
    /// Compile candidates in C with this command
    #[arg(long, value_name = "COMMAND", default_value = "cc -O3 -march=native", conflicts_with = "database")]
    pub cc: String,
    /// Compile candidates in GLSL with this command
    #[arg(
        long,
        value_name = "COMMAND",
        default_value = "glslc --target-env=vulkan1.1 -O",
        conflicts_with = "database"
    )]
    pub glslc: String,
    /// Let COMMAND propose candidates: it answers lines of JSON with files and schedules, see docs/tuning.md
    ///
    /// It is asked about one executable after the other, before the built-in search, and is told the result of each of its candidates.
    #[arg(long, value_name = "COMMAND", conflicts_with = "database")]
    pub generator: Option<String>,
    /// Give the generator this time for each answer
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration, conflicts_with = "database")]
    pub generator_timeout: Duration,
    /// Serve a client: read requests from standard input and answer on standard output, as lines of JSON; see
    /// docs/tuning.md
    ///
    /// The program is written to the file of -o when the client commits.
    #[arg(long, conflicts_with_all = ["database", "budget", "generator"])]
    pub serve: bool,
    /// Keep winners and candidates in this tuning database, and continue from it
    ///
    /// hal-translate and hal-compile take winners from it. Candidates that it has for the same kernel, target and machine
    /// are not measured again, unless they were faster.
    #[arg(long, value_name = "FILE", env = "HALYARD_TUNING", hide_env_values = true)]
    pub tuning: Option<PathBuf>,
    /// Append a line of JSON for each candidate to FILE, and do not measure candidates again that it has
    #[arg(long, value_name = "FILE", conflicts_with = "database")]
    pub trials: Option<PathBuf>,
    /// Run kernels on N threads [default: one per available core]
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Measuring",
        conflicts_with = "database"
    )]
    pub threads: usize,
    /// Give a candidate this time to be built, and again to be checked and timed
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration, help_heading = "Measuring", conflicts_with = "database")]
    pub trial_timeout: Duration,
    /// Empty the caches before each call that is timed
    ///
    /// The tuning database keeps such winners apart, like those for another number of threads.
    #[arg(long, help_heading = "Measuring", conflicts_with = "database")]
    pub cold: bool,
    /// Compare each candidate with its source on N random inputs
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Measuring", conflicts_with = "database")]
    pub checks: u32,
    /// Start the search from this number
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Measuring", conflicts_with = "database")]
    pub seed: u64,
    /// How hard to optimise, 0 to 3, as in hal-translate
    #[arg(short = 'O', long, value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=3), help_heading = "Code generation", conflicts_with = "database")]
    pub opt_level: u8,
    /// Trade accuracy for speed, as in hal-translate [default WHAT: sums]
    #[arg(long, value_name = "WHAT[,…]", value_enum, num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "sums", help_heading = "Code generation", conflicts_with = "database")]
    pub fast_math: Vec<KernelFastMath>,
    /// What to do with the database instead.
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Parallelism of code generation; kernels are timed one at a time.
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// Other machines build kernels; all are measured here.
    #[command(flatten)]
    pub launcher: hal_translate::LauncherArgs,
    /// What is written.
    #[command(flatten)]
    pub output: OutputArgs,
    /// What the output depends on.
    #[command(flatten)]
    pub depfile: DepfileArgs,
    /// Plugins, whose candidates compete.
    #[command(flatten)]
    pub plugins: PluginArgs,
    /// The common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

impl ToolArgs for TuneArgs {
    const EXAMPLES: &'static str = "
        hal-import model.onnx | hal-tune --budget=2m | hal-translate | hal-link -o model.so
        hal-tune program.mlir --executable='main_dispatch_4*' --budget=500 -o tuned.mlir
        hal-tune bert.mlir --dim=batch=1 --dim=sequence=128 --tuning=tuning.db -o tuned.mlir
        hal-tune program.mlir --trials=trials.jsonl --threads=1 -o tuned.mlir
        hal-tune program.mlir --device=vulkan --tuning=tuning.db -o tuned.mlir
        hal-tune --tuning=tuning.db --list
        hal-tune --tuning=tuning.db --merge=other.db --merge=shared.jsonl
        hal-tune --tuning=tuning.db --prune=unused=program.mlir --prune=trials";

    const COMMON: &'static [&'static str] =
        &["device", "target", "executable", "budget", "candidate", "generator", "tuning", "list", "jobs", "output"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--time", "`--budget=TIME` limits the search, as in `--budget=30s`"),
        ("--iterations", "`--budget=N` tries at most N candidates"),
        ("--runs", "`--budget=N` tries at most N candidates"),
        ("--database", "`--tuning=FILE` names the tuning database"),
    ];

    const SEE_ALSO: &'static str = "
        hal-translate --tuning (uses the winners), hal-benchmark (compares programs)
        docs/tuning.md, docs/schedules.md";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        TuneArgs::command().debug_assert();
    }
}
