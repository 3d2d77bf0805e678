//! The command line of `hal-link`.
use crate::MergeArgs;
use clap::Parser;
use halyard_cli::{DepfileArgs, DialectLibraryArgs, GlobalArgs, ToolArgs};
use halyard_plugins::ProgramPluginArgs;
use std::{ffi::OsString, path::PathBuf};

/// Link programs and objects into one loadable shared object
///
/// Reads programs whose executables have objects (from `hal-translate`), further objects (.o) and static archives (.a),
/// and writes a shared object for `hal-run` and the runtime library. Large constants go to a safetensors archive beside
/// it.
#[derive(Debug, Parser)]
#[command(name = "hal-link")]
pub struct LinkArgs {
    /// Programs, objects (.o) and static archives (.a); - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub inputs: Vec<PathBuf>,
    /// Write to FILE, atomically
    #[arg(
        short,
        long,
        value_name = "FILE",
        required = false,
        required_unless_present = "list_plugins",
        default_value_if("list_plugins", "true", "-")
    )]
    pub output: PathBuf,
    /// Look for weight archives in FOLDER first [default: the folder of the program]
    #[arg(long, value_name = "FOLDER")]
    pub weights_path: Vec<PathBuf>,
    /// Leave weights in their files; create symbolic links beside FILE to files in other folders
    ///
    /// Otherwise weights from other folders, and misaligned ones, are copied to an archive beside FILE.
    #[arg(long, conflicts_with = "embed_weights")]
    pub external_weights: bool,
    /// Append weights to FILE itself, so that it can be moved alone; it is then read in full when it is loaded
    #[arg(long)]
    pub embed_weights: bool,
    /// Look for objects that programs name in FOLDER first [default: the folder of the program]
    #[arg(long, value_name = "FOLDER")]
    pub object_path: Vec<PathBuf>,
    /// Merging.
    #[command(flatten)]
    pub merge: MergeArgs,
    /// Libraries with dialects.
    #[command(flatten)]
    pub libraries: DialectLibraryArgs,
    /// Plugins.
    #[command(flatten)]
    pub plugins: ProgramPluginArgs,
    /// What the output depends on.
    #[command(flatten)]
    pub depfile: DepfileArgs,
    #[command(flatten)]
    pub global: GlobalArgs,
}

impl ToolArgs for LinkArgs {
    const EXAMPLES: &'static str = "\
hal-import model.onnx | hal-translate | hal-link -o model.so
hal-link encoder.mlir decoder.mlir kernels.o -o model.so";

    const COMMON: &'static [&'static str] = &["output", "weights-path", "external-weights", "object-path"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--shared", "a linked program always is a shared object"),
        ("--target", "code is generated earlier: `hal-translate --target=TARGET`"),
        ("--weights", "`hal-import --weights=FILE` binds weights; `--weights-path=FOLDER` says where archives are"),
    ];

    const SEE_ALSO: &'static str = "
        hal-translate (step before), hal-run, hal-benchmark
        docs/exchange-form.md, docs/embedding.md (call the program from C, C++, Python or Rust)";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }

    fn help_more(argv: &[OsString]) -> Option<String> {
        halyard_plugins::help(argv)
    }
}
