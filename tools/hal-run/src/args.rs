//! The command line.
use clap::{ArgGroup, Parser};
use halyard_cli::{GlobalArgs, ToolArgs};
use halyard_programs::LoadArgs;
use halyard_runtime::DeviceName;
use halyard_tensors::{Destination, TensorArgument, state_argument};
use std::{ffi::OsString, path::PathBuf};

/// Run a linked program
///
/// Loads a linked program, calls one of its functions and prints the outputs like numpy. --output writes them to files;
/// --expect compares them and fails with exit code 1 if they differ; --compare-with finds the first kernel that makes the
/// program differ from another one, or from its ONNX model.
#[derive(Debug, Parser)]
#[command(name = "hal-run")]
#[command(group = ArgGroup::new("made_up").args(["record", "compare_with"]).multiple(true))]
pub struct RunArgs {
    /// The linked program (.so)
    #[arg(value_name = "PROGRAM", required = false, required_unless_present_any = ["list_plugins", "list_devices"], default_value_ifs([("list_plugins", "true", "-"), ("list_devices", "true", "-")]))]
    pub program: PathBuf,
    /// Call this function [default: the only one, or main]
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Pass a tensor, such as 1x784xf32=random:7 or @x.npy; repeatable
    #[arg(long = "input", short, value_name = "TENSOR", allow_hyphen_values = true, long_help = format!("Pass a tensor; repeatable\n\n{}", halyard_tensors::SYNTAX))]
    pub inputs: Vec<TensorArgument>,
    /// Call the function N times with the same inputs; the outputs are those of the last call
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["list", "check"])]
    pub calls: u32,
    /// Start with states from FILE (.npz, .safetensors), or with one written as for --input, such as h=1x8xf32=0.5;
    /// repeatable
    ///
    /// Other states start with their initial values.
    #[arg(long, value_name = "FILE|TENSOR", value_parser = state_argument, allow_hyphen_values = true, conflicts_with_all = ["list", "check"])]
    pub state_in: Vec<TensorArgument>,
    /// Write states after the last call to [NAME=]FILE, as for --output; --state-in reads them; repeatable
    ///
    /// An archive (.npz, .safetensors) without NAME gets all states.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "list", "check"])]
    pub state_out: Vec<Destination>,
    /// Write an output to [NAME=]FILE: .npy, .npz, .safetensors, .bin; - prints; repeatable
    ///
    /// Without NAME, files get the outputs in order, and an archive gets all of them.
    #[arg(long = "output", short, value_name = "FILE")]
    pub outputs: Vec<Destination>,
    /// Compare an output with a tensor, written as for --input; repeatable
    #[arg(long, value_name = "TENSOR", allow_hyphen_values = true, group = "comparison", help_heading = "Comparing")]
    pub expect: Vec<TensorArgument>,
    /// Accept |got - expected| <= atol + R * |expected| [default: by type, f32 1e-5]
    ///
    /// The defaults are 1e-5 for f32, 1e-7 for f64, 1e-3 for f16, 1.6e-2 for bf16 and 0 for integers.
    #[arg(long, value_name = "R", value_parser = tolerance, requires = "comparison", help_heading = "Comparing")]
    pub rtol: Option<f64>,
    /// Accept this absolute difference [default: by type, f32 1e-5]
    ///
    /// The defaults are 1e-5 for f32, f16 and bf16, 1e-7 for f64 and 0 for integers.
    #[arg(long, value_name = "A", value_parser = tolerance, requires = "comparison", help_heading = "Comparing")]
    pub atol: Option<f64>,
    /// Detect kernels that access memory outside their bindings or leave results unwritten; slow, CPU only
    ///
    /// Each dispatch runs twice on copies of its bindings, followed, then preceded by inaccessible memory. Read-only
    /// bindings are write-protected, and results are filled with a pattern first. An error names the kernel, the
    /// binding and the position.
    #[arg(long, conflicts_with_all = ["record", "list"], help_heading = "Looking inside")]
    pub guard: bool,
    /// Call each function F for which there is F.expected, and compare; hal-extract --as=benchmark writes such programs
    ///
    /// On the CPU the calls of F are guarded as with --guard.
    #[arg(long, conflicts_with_all = ["expect", "inputs", "outputs", "list"], group = "comparison", help_heading = "Comparing")]
    pub check: bool,
    /// Find the first dispatch whose result differs from that of another program (.so) or of an ONNX model (.onnx); missing
    /// inputs are random
    ///
    /// Both run on the same inputs. Results that both compute are compared in the order of execution, with --rtol and
    /// --atol. The error names kernel, node and element, and says whether the inputs of the kernel were equal. Python
    /// runs a model, with onnxruntime or else with onnx's reference evaluator; HALYARD_PYTHON names the interpreter.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["expect", "outputs", "list", "check", "guard", "state_out"], group = "comparison", help_heading = "Comparing")]
    pub compare_with: Option<PathBuf>,
    /// With --compare-with: run the other program on this device [default: that of --device]
    #[arg(long, value_name = "DEVICE", requires = "compare_with", help_heading = "Comparing")]
    pub compare_device: Option<DeviceName>,
    /// Write the inputs and outputs of each distinct dispatch to FILE (safetensors); missing inputs are random
    ///
    /// With --compare-with, FILE is a folder, which gets those of the first dispatch that differs, on both sides.
    /// hal-extract --as=benchmark --record makes a benchmark of a record.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["expect", "outputs", "list", "check"], help_heading = "Comparing")]
    pub record: Option<PathBuf>,
    /// With --record: keep every dispatch, in order, not one of each kind
    #[arg(long, requires = "record", conflicts_with = "compare_with", help_heading = "Comparing")]
    pub record_all: bool,
    /// With --record-all or --compare-with: keep at most SIZE of what the dispatches of a call read and wrote
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = halyard_cli::size, help_heading = "Comparing")]
    pub record_limit: u64,
    /// With --record or --compare-with: use size N for dynamic dimensions of missing inputs
    #[arg(long, value_name = "N", requires = "made_up", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Comparing")]
    pub size: Option<u32>,
    /// Write a timeline of the dispatches of each thread to FILE, for https://ui.perfetto.dev; with --calls, of the last call
    ///
    /// It also shows copies, waits and, on a GPU, its queue; the tool then waits for each dispatch. Each dispatch has
    /// the name and content key of its kernel, and the nodes of the model that the kernel comes from.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "compare_with", "list", "check", "guard"], help_heading = "Looking inside")]
    pub trace: Option<PathBuf>,
    /// What the program needs beside its file.
    #[command(flatten)]
    pub load: LoadArgs,
    /// List functions with their signatures, and kernels, and stop
    #[arg(long, visible_alias = "info", conflicts_with_all = ["expect", "inputs", "outputs"], help_heading = None)]
    pub list: bool,
    /// With --list: list the executables instead, with their content keys and the nodes of the model that they come from
    #[arg(long, requires = "list", help_heading = None)]
    pub executables: bool,
    /// Common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

impl ToolArgs for RunArgs {
    const EXAMPLES: &'static str = "
        hal-run mlp.so --list
        hal-run mlp.so --input=@x.npy
        hal-run mlp.so --input=1x784xf32=random:7 --output=y.npy --threads=4
        hal-run mlp.so --input=x=@x.npy --expect=@y.npy --rtol=1e-4
        hal-run mlp.so --compare-with=mlp.onnx --input=@x.npy
        hal-run decoder.so --input=@token.npy --state-in=session.npz --state-out=session.npz
        hal-run benchmark.so --check
        hal-run mlp.so --input=@x.npy --guard --timeout=60
        hal-run mlp.so --input=@x.npy --device=vulkan:0 --fallback=cpu
        hal-run mlp.so --compare-with=mlp.O0.so --input=@x.npy --record=evidence
        hal-run mlp.so --input=@x.npy --calls=3 --trace=mlp.perfetto
        hal-run mlp.so --list --executables";

    const COMMON: &'static [&'static str] =
        &["function", "input", "output", "expect", "compare-with", "guard", "threads", "timeout", "device", "list"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--iterations", "`--calls=N` repeats the call; `hal-benchmark` measures"),
        ("--repeat", "`--calls=N` repeats the call; `hal-benchmark` measures"),
        ("--runs", "`--calls=N` repeats the call; `hal-benchmark --runs=N` measures"),
        ("--random", "write the inputs as `--input=random:1`, one flag for each"),
        ("--expected-output", "`--expect=TENSOR` compares an output"),
        ("--expected_output", "`--expect=TENSOR` compares an output"),
        ("--profile", "`hal-benchmark --per-executable` times kernels, `--trace=FILE` shows threads"),
        ("--json", "`hal-benchmark --json=FILE` writes JSON"),
    ];

    const SEE_ALSO: &'static str = "
        hal-benchmark (times programs), hal-compile, hal-link (make programs)
        docs/running-safely.md (crashes, hangs), docs/differences.md (find the kernel that is wrong), docs/state.md, docs/devices.md, docs/embedding.md";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }

    fn help_more(argv: &[OsString]) -> Option<String> {
        halyard_manifest::help(argv)
    }
}

/// Parses a tolerance, which must not be negative.
fn tolerance(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|v: &f64| *v >= 0.0).ok_or_else(|| "not a number of at least 0".into())
}
