//! The command line.
use clap::{Parser, ValueEnum};
use halyard_cli::{DepfileArgs, DialectLibraryArgs, GlobalArgs, ToolArgs};
use halyard_diag::{Error, Result};
use std::path::PathBuf;

/// Write executables of a program to files
///
/// Reads a program with executables, writes one or more files for each to a folder, and passes the program through
/// unchanged, like tee (to a terminal only with -o -). hal-substitute puts edited files back.
#[derive(Debug, Parser)]
#[command(name = "hal-extract")]
pub struct ExtractArgs {
    /// The program; - is standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    pub input: PathBuf,
    /// Executables: a name, a pattern with * and ?, key:DIGITS for a content key, or origin:PATTERN for nodes of the model
    /// [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Write the files to FOLDER, which is created if needed
    #[arg(
        long,
        value_name = "FOLDER",
        required = false,
        required_unless_present = "list",
        default_value_if("list", "true", ".")
    )]
    pub to: PathBuf,
    /// Print name, content key, origin and interfaces of executables, and write no files
    #[arg(long, conflicts_with_all = ["to", "kinds", "output", "overwrite", "lenient", "depfile"])]
    pub list: bool,
    /// What to write; repeatable
    #[arg(long = "as", value_name = "KIND[,…]", value_enum, value_delimiter = ',', default_value = "mlir")]
    pub kinds: Vec<ExtractKind>,
    /// Pass the program through to FILE; - is standard output, even a terminal [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite edited files; otherwise they are kept, with a warning
    #[arg(long)]
    pub overwrite: bool,
    /// Warn, instead of failing, about kinds of files that an executable does not have
    #[arg(long)]
    pub lenient: bool,
    /// For llvm, asm and schedule: generate code for this target, as in hal-translate [default: that of the objects, else cpu]
    #[arg(long, value_name = "TARGET[,…]", allow_hyphen_values = true, help_heading = "Code")]
    pub target: Vec<String>,
    /// For llvm, asm and schedule: how hard to optimise, as in hal-translate [default: 3]
    #[arg(short = 'O', long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3), help_heading = "Code")]
    pub opt_level: Option<u8>,
    /// For llvm, asm and schedule: trade accuracy for speed, as in hal-translate
    #[arg(long, value_name = "WHAT[,…]", value_parser = ["sums", "winograd", "tf32", "activations"], num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "sums", help_heading = "Code")]
    pub fast_math: Vec<String>,
    /// For benchmark: run this function to record dispatches; repeatable [default: all]
    #[arg(long, value_name = "NAME", help_heading = "Benchmarks")]
    pub function: Vec<String>,
    /// For benchmark: run the program on this tensor, as in hal-run; repeatable [default: random numbers]
    #[arg(long = "input", short, value_name = "TENSOR", allow_hyphen_values = true, help_heading = "Benchmarks")]
    pub inputs: Vec<String>,
    /// For benchmark: use size N for dynamic dimensions of inputs without --input
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Benchmarks")]
    pub size: Option<u32>,
    /// For benchmark: load FILE.so, a host library, as in hal-run; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Benchmarks")]
    pub module: Vec<PathBuf>,
    /// For benchmark: load FILE.so, a kernel library, as in hal-run; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Benchmarks")]
    pub executable_plugin: Vec<PathBuf>,
    /// For benchmark: set the load-time constant user.NAME to N, as in hal-run; repeatable
    #[arg(long, value_name = "NAME=N", help_heading = "Benchmarks")]
    pub constant: Vec<String>,
    /// For benchmark: take expected outputs from PROGRAM, such as the program without hand-written kernels [default:
    /// compute them from the sources]
    #[arg(long, value_name = "PROGRAM", help_heading = "Benchmarks")]
    pub reference: Option<PathBuf>,
    /// For benchmark: take inputs and expected outputs from FILE, which hal-run --record wrote, instead of running the program
    #[arg(long, value_name = "FILE", conflicts_with_all = ["function", "inputs", "size", "module", "executable_plugin", "constant", "reference", "verify"], help_heading = "Benchmarks")]
    pub record: Option<PathBuf>,
    /// For benchmark: verify the kernels that compute expected outputs, as in hal-translate; N times [3]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "3", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Benchmarks")]
    pub verify: Option<u32>,
    /// For benchmark: look for weight archives in FOLDER first [default: the folder of the program]
    #[arg(long, value_name = "FOLDER", help_heading = "Benchmarks")]
    pub weights_path: Vec<PathBuf>,
    /// Look for objects that the program names in FOLDER first [default: the folder of the program]
    #[arg(long, value_name = "FOLDER")]
    pub object_path: Vec<PathBuf>,
    /// Libraries with dialects.
    #[command(flatten)]
    pub libraries: DialectLibraryArgs,
    /// What the output depends on.
    #[command(flatten)]
    pub depfile: DepfileArgs,
    /// Common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// What to write of an executable E, or of its variant V.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum ExtractKind {
    /// E.mlir: the executable alone, as text
    Mlir,
    /// E.mlirbc: the same as bytecode
    Bytecode,
    /// E.V.ll and E.V.optimized.ll: LLVM IR before and after optimisation
    Llvm,
    /// E.V.s: assembly; of variants for GPUs E.V.ptx or E.V.spvasm
    Asm,
    /// E.V.o: the object; of variants for GPUs E.V.spv, E.V.ptx, E.V.cubin or E.V.fatbin
    Obj,
    /// E.V.ptx: the PTX of variants for CUDA
    Ptx,
    /// E.V.spv: the SPIR-V of variants for Vulkan
    Spirv,
    /// E.V.spvasm: the same as text
    Spvasm,
    /// E.c: C that computes the same, to start a hand-written kernel from
    C,
    /// E.comp: the same in GLSL, for Vulkan; E.EXPORT.comp if there are several
    Glsl,
    /// E.cu: the same in CUDA
    Cuda,
    /// E.schedule: the schedules of E's kernels, for each target
    Schedule,
    /// E.benchmark.mlir: a program that runs E on stored inputs and contains the expected outputs
    Benchmark,
}

impl ExtractKind {
    /// The language in which people write kernels for a kind of device, as `--device` has it.
    pub fn language_of(device: &str) -> Self {
        match device {
            "vulkan" => Self::Glsl,
            "cuda" => Self::Cuda,
            _ => Self::C,
        }
    }
}

/// A kind of code of GPU variants.
pub(crate) struct DeviceCodeKind {
    /// The name in messages.
    pub(crate) name: &'static str,
    /// The suffix of its files.
    pub(crate) suffix: &'static str,
    /// A target that has such code.
    pub(crate) target: &'static str,
}

/// The kinds of code for GPUs, each with what `--as` calls it.
pub(crate) const DEVICE_CODE: [(ExtractKind, DeviceCodeKind); 3] = [
    (ExtractKind::Ptx, DeviceCodeKind { name: "PTX", suffix: "ptx", target: "cuda:sm_80" }),
    (ExtractKind::Spirv, DeviceCodeKind { name: "SPIR-V", suffix: "spv", target: "vulkan" }),
    (ExtractKind::Spvasm, DeviceCodeKind { name: "SPIR-V", suffix: "spvasm", target: "vulkan" }),
];

impl ExtractArgs {
    /// Refuses flags that say something about files that are not asked for. Errors: there is one.
    pub(crate) fn expect_used(&self) -> Result<()> {
        let code = [
            ("--target", !self.target.is_empty()),
            ("--opt-level", self.opt_level.is_some()),
            ("--fast-math", !self.fast_math.is_empty()),
        ];
        let benchmark = [
            ("--function", !self.function.is_empty()),
            ("--input", !self.inputs.is_empty()),
            ("--size", self.size.is_some()),
            ("--module", !self.module.is_empty()),
            ("--executable-plugin", !self.executable_plugin.is_empty()),
            ("--constant", !self.constant.is_empty()),
            ("--reference", self.reference.is_some()),
            ("--record", self.record.is_some()),
            ("--verify", self.verify.is_some()),
            ("--weights-path", !self.weights_path.is_empty()),
        ];
        let unused = |flags: &[(&str, bool)], kinds: &[ExtractKind]| {
            let given = flags.iter().find(|(_, given)| *given).map(|(flag, _)| flag.to_string());
            given.filter(|_| !self.kinds.iter().any(|k| kinds.contains(k)))
        };
        if let Some(flag) = unused(&code, &[ExtractKind::Llvm, ExtractKind::Asm, ExtractKind::Schedule]) {
            return Err(Error::usage(format!(
                "`{flag}` has no effect without `--as=llvm`, `--as=asm` or `--as=schedule`"
            )));
        }
        if let Some(flag) = unused(&benchmark, &[ExtractKind::Benchmark]) {
            return Err(Error::usage(format!("`{flag}` has no effect without `--as=benchmark`")));
        }
        Ok(())
    }
}

impl ToolArgs for ExtractArgs {
    const EXAMPLES: &'static str = "
        hal-extract program.mlir --to=executables
        hal-extract program.mlir 'main_dispatch_1*' main_dispatch_4 --to=edit --as=mlir,c
        hal-extract program.mlir --list 'origin:/layer1/*'
        hal-import model.onnx | hal-extract --to=before | hal-translate | hal-extract --to=after --as=obj,asm | hal-link -o model.so
        hal-extract program.mlir main_dispatch_4 --to=measure --as=benchmark --input=@x.npy";

    const COMMON: &'static [&'static str] = &["to", "list", "as", "overwrite", "target", "input", "output"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--output-dir", "`--to=FOLDER` says where the files go"),
        ("--dir", "`--to=FOLDER` says where the files go"),
        ("--emit", "`--as=KIND` says what is written"),
        ("--format", "`--as=KIND` says what is written"),
        ("--executable", "write the name without a flag: `hal-extract program.mlir NAME --to=FOLDER`"),
    ];

    const SEE_ALSO: &'static str = "
        hal-substitute (puts edited files back), hal-benchmark (times a benchmark), hal-run --record (real inputs)
        docs/extraction.md, docs/substitution.md, docs/measuring.md";

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
        ExtractArgs::command().debug_assert();
    }
}
