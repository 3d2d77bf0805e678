//! The command line of `hal-translate`.
use crate::{
    AssemblerArgs, ContainmentArgs, DebugArgs, ExplainArgs, LauncherArgs, ListTargetsArgs, TimeArgs, TranslationFormat,
    TuningArgs,
};
use clap::{Parser, ValueEnum};

use halyard_cli::{DepfileArgs, GlobalArgs, JobsArgs, LibraryArgs, ToolArgs};
use halyard_plugins::ProgramPluginArgs;
use halyard_stages::{PipelineArgs, StageArgs};
use std::{ffi::OsString, path::PathBuf};

/// Generate code for the executables of a program
///
/// Reads a program in phase `executables` and writes it in phase `objects`, where each executable has a variant with an
/// object per target. Existing objects for a target are kept. With --emit=llvm, asm, obj and so on, it writes the code
/// of one executable instead; the input may then also be a standalone executable or a module of functions on tensors.
#[derive(Debug, Parser)]
#[command(name = "hal-translate")]
pub struct TranslateArgs {
    /// The program; - is standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    pub input: PathBuf,
    /// What to generate code for [default: cpu]
    ///
    /// `cpu` is the CPU of this machine, `cpu:CHIP` another chip by LLVM's name, `cpu:CHIP@TRIPLE` a chip of another
    /// architecture. `vulkan` is any Vulkan device, `cuda:CHIP` an NVIDIA GPU [sm_80], `hip:CHIP` an AMD
    /// GPU [gfx90a], `opencl` any OpenCL device; nothing runs the code of these two yet. `+FEATURE` and `-FEATURE` after
    /// a target add and remove features. Any other name is a plugin's target. Several targets, as a list or by
    /// repeating the flag, create several variants
    #[arg(long, value_name = "TARGET[,…]", allow_hyphen_values = true)]
    pub target: Vec<String>,
    /// What there is to choose from.
    #[command(flatten)]
    pub list_targets: ListTargetsArgs,
    /// Parallelism.
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// What to write
    #[arg(long, value_name = "KIND", value_enum)]
    pub emit: Option<TranslationFormat>,
    /// Short for --emit=bytecode
    #[arg(long, conflicts_with = "emit")]
    pub emit_bytecode: bool,
    /// Write the code of this executable, with --emit=llvm, asm, obj and so on: a name, pattern, key:DIGITS or
    /// origin:PATTERN
    #[arg(long, value_name = "NAME")]
    pub executable: Option<String>,
    /// The assembler of a vendor.
    #[command(flatten)]
    pub assembler: AssemblerArgs,
    /// Write generated code to FOLDER: E.V.ll, E.V.optimized.ll, E.V.s and E.V.o for variant V of executable E
    #[arg(long, value_name = "FOLDER")]
    pub save_code: Option<PathBuf>,
    /// Write what each stage of the pipeline changed to FOLDER, as diffs: E.V.stages.diff for variant V of executable E
    #[arg(long, value_name = "FOLDER")]
    pub save_stages: Option<PathBuf>,
    /// Look in FOLDER for objects of functions that kernels call, after the working directory (repeatable)
    #[arg(long, value_name = "FOLDER", alias = "executable-object-search-path")]
    pub object_path: Vec<PathBuf>,
    /// Drop the sources of executables from the output
    #[arg(long)]
    pub strip_source: bool,
    /// How hard to optimise, 0 to 3
    #[arg(short = 'O', long, value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub opt_level: u8,
    /// Trade accuracy for speed [default WHAT: sums]
    ///
    /// linalg defines no order of reductions, so the compiler chooses one in any case; for one target it does not
    /// depend on the number of threads. Without this flag, arithmetic within an element is not reordered; a product and
    /// a sum may become one fused multiply-add.
    #[arg(long, value_name = "WHAT[,…]", value_enum, num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "sums")]
    pub fast_math: Vec<KernelFastMath>,
    /// Line tables.
    #[command(flatten)]
    pub debug: DebugArgs,
    /// Reports on the translation.
    #[command(flatten)]
    pub explain: ExplainArgs,
    /// Winners of measurements.
    #[command(flatten)]
    pub tuning: TuningArgs,
    /// What was translated before.
    #[command(flatten)]
    pub cache: halyard_cache::CacheArgs,
    /// Verifying.
    #[command(flatten)]
    pub verify: halyard_verify::VerifyArgs,
    /// Where the time went.
    #[command(flatten)]
    pub times: TimeArgs,
    /// Write to FILE, atomically; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// Write bytecode or objects even to a terminal
    #[arg(short, long)]
    pub force: bool,
    /// Crashes, hangs, memory.
    #[command(flatten)]
    pub containment: ContainmentArgs,
    /// Other machines.
    #[command(flatten)]
    pub launcher: LauncherArgs,
    /// Do the work that `--launcher` sends: read executables from INPUT, write their code to the output
    #[arg(long, conflicts_with = "launcher", help_heading = "On other machines")]
    pub remote_worker: bool,
    /// The pipeline.
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
    /// What the output depends on.
    #[command(flatten)]
    pub depfile: DepfileArgs,
    /// The common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// Optimisations that reduce accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KernelFastMath {
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

impl ToolArgs for TranslateArgs {
    const EXAMPLES: &'static str = "
        hal-import model.onnx | hal-translate | hal-link -o model.so
        hal-translate --target=cpu:x86-64-v3,cpu:x86-64-v4 program.mlir -o objects.mlirbc
        hal-translate --target=cpu:cortex-a72@aarch64-linux-gnu,+crc program.mlir
        hal-translate --emit=asm --executable=main_dispatch_0 program.mlir";

    const COMMON: &'static [&'static str] = &[
        "target",
        "jobs",
        "emit",
        "executable",
        "opt-level",
        "fast-math",
        "debug-info",
        "explain",
        "tuning",
        "cache",
        "verify",
        "output",
    ];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--march", "`--target=cpu:CHIP` names a CPU; `--list-targets` lists what there is"),
        ("--mcpu", "`--target=cpu:CHIP` names a CPU; `--list-targets` lists what there is"),
        ("--mtriple", "`--target=cpu:CHIP@TRIPLE` names a CPU of another architecture"),
        ("--device", "`--target=TARGET` says what code is for; `hal-run --device` says where it runs"),
    ];

    const SEE_ALSO: &'static str = "
        hal-import (step before), hal-link (next step), hal-tune (measures which kernels are fastest), hal-extract (code of single kernels)
        docs/schedules.md, docs/tuning.md, docs/verification.md, docs/cross-compiling.md, docs/devices.md (GPUs), docs/cache.md, docs/debugging.md (-g), docs/build-farm.md";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }

    fn help_more(argv: &[OsString]) -> Option<String> {
        halyard_plugins::help(argv)
    }
}

impl TranslateArgs {
    /// Returns the output format, or its default.
    pub fn emit_kind(&self) -> TranslationFormat {
        let by_name = self.output.extension().is_some_and(|e| e == "mlirbc");
        self.emit.unwrap_or(if self.emit_bytecode || by_name {
            TranslationFormat::Bytecode
        } else {
            TranslationFormat::Text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        TranslateArgs::command().debug_assert();
    }
}
