//! The command line.
use crate::{FastMathArgs, LayoutArgs, WeightArgs, onnx::InputShape};
use clap::{Parser, ValueEnum};
use halyard_cache::LocalCacheArgs;
use halyard_cli::{DepfileArgs, GlobalArgs, LibraryArgs, OutputArgs, ToolArgs};
use halyard_plugins::ProgramPluginArgs;
use halyard_stages::{PipelineArgs, StageArgs};
use halyard_tensors::TensorArgument;
use std::{ffi::OsString, path::PathBuf};

/// Import a model and form executables
///
/// Reads MLIR (text or bytecode; func, linalg, tosa, tensor, arith, math, scf, ml_program) or ONNX and writes a
/// Halyard program: one executable per kernel and a host program that calls them.
#[derive(Debug, Parser)]
#[command(name = "hal-import")]
pub struct ImportArgs {
    /// The model; - is standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    pub input: PathBuf,
    /// Where the program goes.
    #[command(flatten)]
    pub output: OutputArgs,
    /// The format of the input [default: detected from content]
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: ModelFormat,
    /// Stop in this phase; `input` is before executables are formed
    ///
    /// Other tools can change the functions in phase `input`; `hal-import` resumes from there.
    #[arg(long, value_name = "PHASE", value_enum, default_value_t)]
    pub to: ImportPhase,
    /// Weights.
    #[command(flatten)]
    pub weights: WeightArgs,
    /// Keep only this public function and its callees (repeatable)
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// Look for objects of hand-written kernels in FOLDER, after the working directory (repeatable)
    #[arg(long, value_name = "FOLDER", alias = "executable-object-search-path")]
    pub object_path: Vec<PathBuf>,
    /// Pipelines.
    #[command(flatten)]
    pub pipeline_choices: PipelineArgs,
    /// Where stages are.
    #[command(flatten)]
    pub stage_args: StageArgs,
    /// Libraries with passes and dialects.
    #[command(flatten)]
    pub libraries: LibraryArgs,
    /// Plugins.
    #[command(flatten)]
    pub plugins: ProgramPluginArgs,
    /// The former `--layout`.
    #[command(flatten)]
    pub layout: LayoutArgs,
    /// Bounds.
    #[command(flatten)]
    pub bounds: BoundsArgs,
    /// Sizes.
    #[command(flatten)]
    pub sizes: crate::DimArgs,
    /// Inputs.
    #[command(flatten)]
    pub inputs: InputArgs,
    /// States.
    #[command(flatten)]
    pub states: crate::StateArgs,
    /// How ONNX is read.
    #[command(flatten)]
    pub onnx: OnnxArgs,
    /// The former `--fast-math`.
    #[command(flatten)]
    pub fast_math: FastMathArgs,
    /// What was imported before.
    #[command(flatten)]
    pub cache: LocalCacheArgs,
    /// Print the supported ONNX operators, one `DOMAIN NAME` per line, and stop
    #[arg(long, help_heading = "Looking inside")]
    pub list_onnx_operators: bool,
    /// What the output depends on.
    #[command(flatten)]
    pub depfile: DepfileArgs,
    /// The common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

impl ToolArgs for ImportArgs {
    const EXAMPLES: &'static str = "
        hal-import model.onnx | hal-translate | hal-link -o model.so
        hal-import model.onnx --weights-to=weights.safetensors -o program.mlir
        hal-import network.mlir --weights=model.safetensors.index.json -o program.mlir
        hal-import model.onnx --to=input | mlir-opt-22 --canonicalize | hal-import -o program.mlir";

    const COMMON: &'static [&'static str] = &["output", "to", "function", "weights", "weights-to", "dim", "state"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--target", "code is generated later: `hal-translate --target=TARGET`"),
        ("--batch", "`--dim=NAME=SIZE` fixes a dynamic size, as in `--dim=batch=4`"),
        ("--batch-size", "`--dim=NAME=SIZE` fixes a dynamic size, as in `--dim=batch=4`"),
        ("--shape", "`--input-shape=NAME=SHAPE` sets the shape of an input"),
        ("--opset", "the model says which operator set it uses"),
    ];

    const SEE_ALSO: &'static str = "
        hal-opt (run passes on the program), hal-translate (next step), hal-compile (all steps in one command)
        docs/onnx.md, docs/frontends.md (JAX, PyTorch, weights), docs/exchange-form.md (what the program looks like)";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }

    fn help_more(argv: &[OsString]) -> Option<String> {
        halyard_plugins::help(argv)
    }
}

/// What the inputs of an ONNX model are, where it leaves that open.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct InputArgs {
    /// Set the shape of an ONNX model's input, `[2x?,scalar]` for the elements of a sequence, `none` for an empty
    /// optional; repeatable
    ///
    /// A program has a tensor for each element of a sequence: NAME.0, NAME.1 and so on. A number alone is the length of
    /// a sequence whose elements the model declares. Optionals are not empty by default.
    #[arg(long, value_name = "NAME=SHAPE", help_heading = "Model")]
    pub input_shape: Vec<InputShape>,
    /// Make an ONNX model's input a constant, written as for `hal-run --input`; repeatable
    ///
    /// The program loses the input, and what depends on it is decided at compile time: the length of a sequence, the
    /// trip count of a loop, a branch.
    #[arg(long, value_name = "NAME=[TYPE=]VALUE", help_heading = "Model")]
    pub input_value: Vec<TensorArgument>,
}

impl InputArgs {
    /// The equivalent command-line arguments.
    pub fn words(&self) -> Vec<String> {
        let shapes = self.input_shape.iter().map(|s| format!("--input-shape={}", s.text));
        shapes.chain(self.input_value.iter().map(|v| format!("--input-value={}", v.text))).collect()
    }

    /// Whether no flag is given.
    pub fn is_empty(&self) -> bool {
        self.input_shape.is_empty() && self.input_value.is_empty()
    }
}

/// What is checked at run time.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct BoundsArgs {
    /// `check` index and divisor data at run time, or `trust` the model and its inputs [default: check]
    ///
    /// With `trust`, an out-of-range index reads and writes memory outside the tensor; `hal-run --list` shows such
    /// programs. Sizes are always checked.
    #[arg(long, value_name = "BOUNDS", value_enum, require_equals = true, help_heading = "Model")]
    pub bounds: Option<Bounds>,
}

impl BoundsArgs {
    /// The equivalent command-line arguments.
    pub fn words(&self) -> Vec<String> {
        self.bounds.iter().map(|bounds| format!("--bounds={}", bounds.word())).collect()
    }
}

/// How ONNX is read.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct OnnxArgs {
    /// Implement operator NAME of DOMAIN by FUNCTION in FILE, in an ONNX model; repeatable
    ///
    /// FILE is MLIR. The function is one with a body, a kernel (`hal.objects`) or a function of a module (`hal.host_function`).
    /// It takes the inputs of the node in order; an argument with `hal.onnx_attribute = "NAME"` is that attribute, or
    /// `hal.onnx_default`. If there are several functions for one operator, the first one whose types fit is used.
    #[arg(long, value_name = "DOMAIN::NAME=FUNCTION@FILE", help_heading = "ONNX")]
    pub onnx_op: Vec<String>,
    /// Return string labels of an ONNX model as `text`, or as the `number` of each in the model's list [default: text]
    ///
    /// Numbers start at 0. Strings that the model computes are always returned as text.
    #[arg(long, value_name = "HOW", value_enum, require_equals = true, help_heading = "ONNX")]
    pub onnx_strings: Option<Strings>,
}

impl OnnxArgs {
    /// The equivalent command-line arguments.
    pub fn words(&self) -> Vec<String> {
        let strings = self.onnx_strings.and_then(|s| s.to_possible_value());
        let strings = strings.iter().map(|how| format!("--onnx-strings={}", how.get_name()));
        self.onnx_op.iter().map(|op| format!("--onnx-op={op}")).chain(strings).collect()
    }
}

/// How string labels are returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strings {
    /// The end of each string, and the bytes of all
    Text,
    /// The index of each string in the model's list
    Number,
}

/// Whether index and divisor data is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Bounds {
    /// A wrong index or divisor fails the call
    Check,
    /// No check
    Trust,
}

impl Bounds {
    /// Returns the value of `hal.bounds`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Trust => "trust",
        }
    }
}

/// What the input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ModelFormat {
    /// By the content
    #[default]
    Auto,
    /// MLIR text or bytecode
    Mlir,
    /// An ONNX protobuf
    Onnx,
}

/// Where to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ImportPhase {
    /// Functions on tensors, weights moved out
    Input,
    /// Executables and a host program
    #[default]
    Executables,
}
