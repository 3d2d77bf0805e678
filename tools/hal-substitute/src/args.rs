//! The command line of `hal-substitute`.
use crate::{Folder, GpuArgs, Only, Rule, Substitution, Workgroups};
use clap::Parser;
use halyard_cli::{DepfileArgs, DialectLibraryArgs, GlobalArgs, OutputArgs, ToolArgs};
use halyard_diag::{Error, Result};
use std::path::PathBuf;

/// Replace executables of a program by MLIR or objects
///
/// Reads a program, replaces executables by files, and writes the program. The kind of FILE is detected from its
/// content. MLIR replaces the source of an executable, or the code of one variant, before `hal-translate`. After
/// `hal-translate`, an ELF object, static archive, LLVM IR, bitcode or assembly for CPUs, SPIR-V for Vulkan, PTX, a
/// cubin or fatbin for CUDA replaces the code of a variant. Before `hal-translate`, it becomes the executable's only
/// variant, which is not translated. Interfaces are checked.
///
/// NAME is EXECUTABLE, EXECUTABLE/VARIANT or EXECUTABLE/VARIANT/EXPORT; VARIANT may be `*`. Characters of symbols other
/// than A-Z a-z 0-9 _ $ . - are written %XX. EXECUTABLE may also be a pattern with * and ?, key:DIGITS for a content key,
/// or origin:PATTERN for nodes of the model. Files extracted from an earlier version of the program
/// replace the executables that now correspond to theirs.
#[derive(Debug, Parser)]
#[command(name = "hal-substitute")]
pub struct SubstituteArgs {
    /// The program (- is standard input), and replacements; NAME+=FILE links a further object with NAME=FILE
    #[arg(value_name = "INPUT|NAME=FILE")]
    pub words: Vec<String>,
    /// The program, if its name contains a `=`
    #[arg(short, long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Use the files in FOLDER that are named like executables: EXECUTABLE.mlir, EXECUTABLE.VARIANT.o; with
    /// FOLDER/*.SUFFIX, those of one kind; repeatable
    #[arg(long, value_name = "FOLDER")]
    pub from: Vec<PathBuf>,
    /// Like --from, for MLIR files only
    #[arg(long, value_name = "FOLDER")]
    pub sources_from: Vec<PathBuf>,
    /// Like --from, for all but MLIR files
    #[arg(long, value_name = "FOLDER")]
    pub objects_from: Vec<PathBuf>,
    /// Ignore files in folders that match no executable
    #[arg(long)]
    pub allow_unmatched: bool,
    /// Look for files in FOLDER, after the working directory; repeatable
    #[arg(long, value_name = "FOLDER")]
    pub search_path: Vec<PathBuf>,
    /// Set the workgroup count of the kernels of NAME [default: that of the variant, else 1]
    #[arg(long, value_name = "NAME=X[,Y[,Z]]")]
    pub workgroups: Vec<Workgroups>,
    /// Kernels for GPUs.
    #[command(flatten)]
    pub gpu: GpuArgs,
    /// Target of files where no variant exists yet, as for `hal-translate`: cpu, cpu:CHIP, cpu:CHIP@TRIPLE, vulkan,
    /// cuda:CHIP [default: any device that an object can run on; for MLIR of one variant, the CPU of this machine]
    #[arg(long, value_name = "TARGET", allow_hyphen_values = true)]
    pub target: Vec<String>,
    /// Print the replacements and write no program
    #[arg(long)]
    pub dry_run: bool,
    /// Verifying.
    #[command(flatten)]
    pub verify: halyard_verify::VerifyArgs,
    /// Where the program goes.
    #[command(flatten)]
    pub output: OutputArgs,
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

impl ToolArgs for SubstituteArgs {
    const EXAMPLES: &'static str = "
        hal-import model.onnx | hal-substitute main_dispatch_0=edited.mlir | hal-translate | hal-link -o model.so
        hal-substitute objects.mlir main_dispatch_0=kernel.o --workgroups=main_dispatch_0=8 -o edited.mlir
        hal-substitute program.mlir main_dispatch_0/cpu_x86_64_v4=wide.mlir --target=cpu:x86-64-v3,cpu:x86-64-v4
        hal-substitute program.mlir main_dispatch_0=kernel.o main_dispatch_0+=helper.o --target=cpu:x86-64-v3
        hal-substitute program.mlir 'origin:/layer1/conv1/*=kernel.o'
        hal-substitute program.mlir --from=executables --dry-run";

    const COMMON: &'static [&'static str] =
        &["from", "workgroups", "target", "allow-unmatched", "dry-run", "verify", "output"];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--executable", "write a replacement without a flag: `NAME=FILE`"),
        ("--kernel", "write a replacement without a flag: `NAME=FILE`"),
        ("--object", "write a replacement without a flag: `NAME=FILE`"),
    ];

    const SEE_ALSO: &'static str = "
        hal-extract (writes the files to edit), hal-translate, hal-link
        docs/substitution.md, docs/kernel-abi.md (the C signature of kernels), docs/extraction.md";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }
}

impl SubstituteArgs {
    /// The program, and what to do with it. Errors: two programs, a malformed rule or target, nothing to do.
    pub(crate) fn parts(&self) -> Result<(PathBuf, Substitution)> {
        let (rules, inputs): (Vec<_>, Vec<_>) = self.words.iter().partition(|w| w.contains('='));
        let rules: Vec<Rule> = rules.into_iter().map(|r| r.parse().map_err(Error::usage)).collect::<Result<_>>()?;
        let inputs: Vec<PathBuf> = self.input.iter().cloned().chain(inputs.into_iter().map(PathBuf::from)).collect();
        if let [first, second, ..] = inputs.as_slice() {
            return Err(Error::usage(format!(
                "two programs are given: `{}` and `{}`",
                first.display(),
                second.display()
            ))
            .hint("a substitution is written NAME=FILE"));
        }
        let input = inputs.into_iter().next().unwrap_or_else(|| "-".into());
        let folders =
            [(&self.from, Only::Any), (&self.sources_from, Only::Sources), (&self.objects_from, Only::Objects)];
        let folder = |path: &PathBuf, only| Folder { path: path.clone(), only, rest_is_taken: false };
        let folders =
            folders.into_iter().flat_map(|(paths, only)| paths.iter().map(move |p| folder(p, only))).collect();
        let substitution = Substitution {
            rules,
            folders,
            search_path: self.search_path.clone(),
            targets: halyard_targets::parse_targets(&self.target)?,
            workgroups: self.workgroups.clone(),
            gpu: self.gpu.clone(),
            allow_unmatched: self.allow_unmatched,
            stdin: input.as_os_str() != "-",
            only: Only::Any,
        };
        if substitution.is_empty() {
            return Err(Error::usage("there is nothing to substitute")
                .hint("`NAME=FILE` replaces an executable, `--from=FOLDER` all those that a folder has files for"));
        }
        Ok((input, substitution))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        SubstituteArgs::command().debug_assert();
    }
}
