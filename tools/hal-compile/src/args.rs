//! The command line.
use crate::kernels::KernelArgs;
use crate::{
    dump_args::DumpArgs,
    format::{CompileFormat, GraphKind},
    hook::HookedStage,
    iree::{self, IreeArgs},
};
use clap::{Parser, ValueEnum};
use hal_import::{WeightArgs, WeightsPlace};
use halyard_cli::{GlobalArgs, JobsArgs, LibraryArgs, ModuleFormat, ToolArgs};
use halyard_diag::{Error, Result};
use halyard_plugins::ProgramPluginArgs;
use halyard_preprocess::PreprocessArgs;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Compile a model to a linked program
///
/// Does what `hal-import MODEL | hal-translate | hal-link -o PROGRAM` does, in one process: reads MLIR or ONNX (or a
/// program that hal-import or hal-translate wrote), forms executables, translates them in parallel and links them.
#[derive(Debug, Parser)]
#[command(name = "hal-compile")]
pub struct CompileArgs {
    /// The model; - is standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    pub input: PathBuf,
    /// Write the linked program, or with --to the MLIR, to FILE, atomically; with --to, - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Stop in this phase and write MLIR
    #[arg(long, value_name = "PHASE", value_enum)]
    pub to: Option<CompilePhase>,
    /// With --to: write text or bytecode [default: text; bytecode if FILE ends in .mlirbc]; without it: a folder for ninja or
    /// make, which translate executables one by one, see docs/build-farm.md
    #[arg(long, value_name = "KIND", value_enum)]
    pub emit: Option<CompileFormat>,
    /// With --to: write bytecode even to a terminal
    #[arg(short, long, requires = "to")]
    pub force: bool,
    /// Generate code for this target: cpu, cpu:portable, cpu:CHIP[@TRIPLE], vulkan, cuda:CHIP, or a plugin's target;
    /// repeatable, see --list-targets [default: cpu]
    #[arg(long, value_name = "TARGET[,…]", allow_hyphen_values = true, help_heading = "Compiling")]
    pub target: Vec<String>,
    /// What there is to choose from.
    #[command(flatten, next_help_heading = "Compiling")]
    pub list_targets: hal_translate::ListTargetsArgs,
    /// Run a stage of hal-opt on the program in a phase: input, executables or objects; repeatable
    #[arg(long = "stage", value_name = "PHASE:STAGE", help_heading = "Compiling")]
    pub stages: Vec<HookedStage>,
    /// Keep only this public function and its callees; repeatable
    #[arg(long, value_name = "NAME", help_heading = "Compiling")]
    pub function: Vec<String>,
    /// Weights.
    #[command(flatten)]
    pub weights: WeightArgs,
    /// How hard to optimise, 0 to 3
    #[arg(short = 'O', long, value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3), help_heading = "Compiling")]
    pub opt_level: u8,
    /// Trade accuracy for speed [default WHAT: sums]
    ///
    /// linalg defines no order of reductions, so the compiler chooses one in any case; for one target it does not
    /// depend on the number of threads. Without this flag, arithmetic within an element is not reordered; a product and
    /// a sum may become one fused multiply-add.
    #[arg(long, value_name = "WHAT[,…]", value_enum, num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "sums", help_heading = "Compiling")]
    pub fast_math: Vec<CompileFastMath>,
    /// Line tables.
    #[command(flatten, next_help_heading = "Compiling")]
    pub debug: hal_translate::DebugArgs,
    /// Pipelines.
    #[command(flatten)]
    pub pipeline_choices: halyard_stages::PipelineArgs,
    /// Where stages are.
    #[command(flatten)]
    pub stage_args: halyard_stages::StageArgs,
    /// Watching stages.
    #[command(flatten)]
    pub watch: halyard_stages::WatchArgs,
    /// Plugins.
    #[command(flatten)]
    pub plugins: ProgramPluginArgs,
    /// Preprocessing.
    #[command(flatten)]
    pub preprocess: PreprocessArgs,
    /// Flags for hand-written kernels.
    #[command(flatten)]
    pub kernels: KernelArgs,
    /// The former `--layout`.
    #[command(flatten)]
    pub layout: hal_import::LayoutArgs,
    /// Bounds.
    #[command(flatten)]
    pub bounds: hal_import::BoundsArgs,
    /// Sizes.
    #[command(flatten)]
    pub sizes: hal_import::DimArgs,
    /// Inputs.
    #[command(flatten)]
    pub inputs: hal_import::InputArgs,
    /// States.
    #[command(flatten)]
    pub states: hal_import::StateArgs,
    /// ONNX.
    #[command(flatten)]
    pub onnx: hal_import::OnnxArgs,
    /// Winners of measurements.
    #[command(flatten, next_help_heading = "Compiling")]
    pub tuning: hal_translate::TuningArgs,
    /// What was translated before.
    #[command(flatten, next_help_heading = "Compiling")]
    pub cache: hal_translate::CacheArgs,
    /// Other machines.
    #[command(flatten)]
    pub launcher: hal_translate::LauncherArgs,
    /// Verifying.
    #[command(flatten, next_help_heading = "Looking inside")]
    pub verify: halyard_verify::VerifyArgs,
    /// Crashes, hangs, memory.
    #[command(flatten)]
    pub containment: hal_translate::ContainmentArgs,
    /// Merging.
    #[command(flatten, next_help_heading = "Compiling")]
    pub merge: hal_link::MergeArgs,
    /// Substitution.
    #[command(flatten)]
    pub substitute: crate::substitute::SubstitutionArgs,
    /// Dumping.
    #[command(flatten)]
    pub dump: DumpArgs,
    /// IREE's words.
    #[command(flatten)]
    pub iree: IreeArgs,
    /// Parallelism.
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// Where the time went.
    #[command(flatten, next_help_heading = "Looking inside")]
    pub times: hal_translate::TimeArgs,
    /// Reports on the translation.
    #[command(flatten, next_help_heading = "Looking inside")]
    pub explain: hal_translate::ExplainArgs,
    /// Keep the program of each phase in FOLDER [default: the folder of the output]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, help_heading = "Looking inside")]
    pub save_temps: Option<Option<PathBuf>>,
    /// Write an HTML report of the program to FILE, as hal-report does: graph, times, memory, and for each executable its MLIR,
    /// schedule and assembly. Runs the program on random inputs, unless --target names other machines
    #[arg(long, value_name = "FILE", help_heading = "Looking inside")]
    pub report: Option<PathBuf>,
    /// Print the equivalent pipe of commands and stop
    #[arg(long, help_heading = "Looking inside")]
    pub dry_run: bool,
    /// Pack the command line, versions and inputs into a folder or FILE.tar, then compile
    #[arg(long, value_name = "FOLDER|FILE.tar", help_heading = "Looking inside")]
    pub reproduce: Option<PathBuf>,
    /// Write a Makefile fragment with all files that the output depends on
    #[arg(long, value_name = "FILE", help_heading = "Looking inside")]
    pub depfile: Option<PathBuf>,
    /// Libraries with passes and dialects.
    #[command(flatten)]
    pub libraries: LibraryArgs,
    /// Common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// Optimisations that reduce accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompileFastMath {
    /// Reorder sums and products within an element, approximate divisions, flush denormal products of bf16: results
    /// differ in the last digits
    Sums,
    /// Compute 3×3 convolutions on CPUs in winograd tiles of 4×4 outputs: ten times the rounding error, still below 1e-5
    Winograd,
    /// Compute f32 matrix products on CUDA's tensor cores, which read 11 bits of each factor: three correct digits
    Tf32,
    /// Round the activations of products with quantised weights to 8 bits on CPUs, 32 of a row with one scale: an error
    /// of half a per cent of a typical result
    Activations,
}

impl CompileArgs {
    /// Returns the options of code generation.
    pub(crate) fn translation(&self) -> hal_translate::Options {
        hal_translate::Options {
            opt_level: self.opt_level,
            fast_math: self.fast_math.contains(&CompileFastMath::Sums),
            winograd: self.fast_math.contains(&CompileFastMath::Winograd),
            tf32: self.fast_math.contains(&CompileFastMath::Tf32),
            activations: self.fast_math.contains(&CompileFastMath::Activations),
        }
    }

    /// Refuses flags about import where the input is a program beyond it. Errors: there is one.
    pub(crate) fn expect_import(&self) -> Result<()> {
        // Where weights lie is decided anew when a program is linked, but for a file of one's own.
        let place = self.weights.place();
        let linked_elsewhere = self.to.is_none() && !matches!(place, Some(WeightsPlace::File(_)));
        let flags = [
            ("--bounds", self.bounds.bounds.is_some()),
            ("--function", !self.function.is_empty()),
            ("--weights", !self.weights.weights.is_empty()),
            ("--weights-map", !self.weights.weights_map.is_empty()),
            ("--weights-to", self.weights.weights_to.is_some() && !linked_elsewhere),
        ];
        let others = flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag);
        let Some(flag) = hal_import::onnx_flag(&self.sizes, &self.inputs, &self.onnx).or(others) else { return Ok(()) };
        Err(Error::usage(format!("`{flag}` has no effect: `{}` was imported before", self.input.display()))
            .hint(format!("give `{flag}` to the `hal-import` that made it")))
    }
}

impl CompileArgs {
    /// The format of MLIR that is asked for.
    pub(crate) fn module_format(&self) -> Option<ModuleFormat> {
        match self.emit? {
            CompileFormat::Text => Some(ModuleFormat::Text),
            CompileFormat::Bytecode => Some(ModuleFormat::Bytecode),
            CompileFormat::Ninja | CompileFormat::Make => None,
        }
    }

    /// The build graph that is asked for.
    pub(crate) fn graph(&self) -> Option<GraphKind> {
        match self.emit? {
            CompileFormat::Ninja => Some(GraphKind::Ninja),
            CompileFormat::Make => Some(GraphKind::Make),
            CompileFormat::Text | CompileFormat::Bytecode => None,
        }
    }
}

/// Where to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum CompilePhase {
    /// Functions on tensors
    Input,
    /// Executables and a host program
    Executables,
    /// Executables with objects
    Objects,
}

impl ToolArgs for CompileArgs {
    const EXAMPLES: &'static str = "
        hal-compile model.onnx -o model.so
        hal-compile model.mlir -o model.so --target=cpu:x86-64-v3 -j4
        hal-compile model.onnx -o model.so --stage=input:canonicalize,cse --save-temps=temps
        hal-compile model.onnx -o model.so --report=model.html
        hal-compile model.onnx -o model.so --dry-run
        hal-compile model.onnx --to=executables -o model.mlir";

    const COMMON: &'static [&'static str] = &["output", "target", "stage", "opt-level", "jobs", "report", "dry-run"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--batch", "`--dim=NAME=SIZE` fixes a dynamic size, as in `--dim=batch=4`"),
        ("--batch-size", "`--dim=NAME=SIZE` fixes a dynamic size, as in `--dim=batch=4`"),
        ("--march", "`--target=cpu:CHIP` names a CPU; `--list-targets` lists what there is"),
        ("--mcpu", "`--target=cpu:CHIP` names a CPU; `--list-targets` lists what there is"),
        ("--device", "`--target=TARGET` says what code is for; `hal-run --device` says where it runs"),
        ("--optimize", "`-O3` is the default"),
        ("--run", "`hal-run PROGRAM` runs a linked program"),
    ];

    const SEE_ALSO: &'static str = "
        hal-import, hal-opt, hal-translate, hal-substitute, hal-link (the steps), hal-run, hal-benchmark, hal-report
        README.md, docs/README.md (documents by task), docs/iree.md (flags of iree-compile), docs/debugging.md (-g), docs/build-farm.md";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }

    fn help_more(argv: &[OsString]) -> Option<String> {
        halyard_plugins::help(argv)
    }

    fn prepare(argv: Vec<OsString>) -> Vec<OsString> {
        iree::rewrite(argv)
    }

    fn renamed(flag: &str) -> Option<&'static str> {
        crate::flags::renamed(flag)
    }

    fn foreign(unknown: &str) -> Option<Option<String>> {
        iree::ours(unknown)
    }
}

impl CompileArgs {
    /// Returns the output path. Fails if there is none, or if a linked program would go to standard output or replace its
    /// model.
    pub(crate) fn output(&self) -> Result<&Path> {
        if self.module_format().is_some() && self.to.is_none() {
            return Err(Error::usage(
                "`--emit` of text or bytecode goes with `--to=PHASE`, which says what is written",
            ));
        }
        match (&self.output, self.to) {
            (Some(path), None) if path == Path::new("-") => Err(Error::usage(
                "a linked program cannot be written to standard output: the system loads it from a file",
            )
            .hint("name a file: `-o model.so`")),
            (Some(path), None) if self.is_input(path) => {
                Err(Error::usage(format!("the linked program would replace its model `{}`", path.display()))
                    .hint("name another file: `-o model.so`"))
            }
            (Some(path), _) => Ok(path),
            (None, Some(_)) => Ok(Path::new("-")),
            (None, None) => Err(Error::usage("the output file is missing").hint("name a file: `-o model.so`")),
        }
    }

    fn is_input(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|path| Path::new(&self.input).canonicalize().is_ok_and(|input| input == path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CompileArgs::command().debug_assert();
    }
}
