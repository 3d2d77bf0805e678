//! Flags that write files of executables during compilation.
use clap::builder::{OsStringValueParser, TypedValueParser};
use hal_extract::ExtractKind;
use halyard_diag::{Error, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Dumping.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Dumping executables")]
pub struct DumpArgs {
    /// Write the source of each executable E, as import forms it, to FOLDER: E.mlir
    #[arg(long, value_name = "FOLDER", value_parser = folder())]
    pub dump_executable_sources_to: Option<PathBuf>,
    /// Write the code of each variant V to FOLDER: E.V.ll, E.V.optimized.ll, E.V.s
    #[arg(long, value_name = "FOLDER", value_parser = folder())]
    pub dump_executable_intermediates_to: Option<PathBuf>,
    /// Write the object of each variant V to FOLDER: E.V.o
    #[arg(long, value_name = "FOLDER", value_parser = folder())]
    pub dump_executable_binaries_to: Option<PathBuf>,
    /// Write a program that measures each executable to FOLDER: E.benchmark.mlir
    #[arg(long, value_name = "FOLDER", value_parser = folder())]
    pub dump_executable_benchmarks_to: Option<PathBuf>,
    /// Write all of these to FOLDER, except kinds given their own flag
    #[arg(long, value_name = "FOLDER")]
    pub dump_executable_files_to: Option<PathBuf>,
    /// Write what each stage changed to FOLDER, as diffs: hal-import.stages.diff, E.stages.diff, E.V.stages.diff
    ///
    /// The first has the stages until executables are formed, the others those of executable E until it is translated, and
    /// the pipeline for variant V.
    #[arg(long, value_name = "FOLDER", value_parser = folder())]
    pub dump_executable_stages_to: Option<PathBuf>,
    /// For benchmarks: run the program on this tensor, as in hal-run; repeatable [default: random numbers]
    #[arg(long, value_name = "TENSOR", allow_hyphen_values = true)]
    pub dump_executable_benchmarks_input: Vec<String>,
    /// For benchmarks: use size N for dynamic dimensions of inputs without --benchmark-input [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub dump_executable_benchmarks_size: Option<u32>,
    /// For benchmarks: load FILE.so, a host library: functions that the host program calls; repeatable
    #[arg(long, value_name = "FILE")]
    pub dump_executable_benchmarks_module: Vec<PathBuf>,
    /// For benchmarks: load FILE.so, a kernel library: functions that kernels import; repeatable
    #[arg(long, value_name = "FILE")]
    pub dump_executable_benchmarks_plugin: Vec<PathBuf>,
    /// Where `--report` wants the sources of executables as they are compiled, and their stages.
    #[arg(skip)]
    pub(crate) report: Option<PathBuf>,
    /// For benchmarks: set the load-time constant user.NAME to N; repeatable
    #[arg(long, value_name = "NAME=N")]
    pub dump_executable_benchmarks_constant: Vec<String>,
}

/// Parses a folder; an empty value disables the flag.
fn folder() -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// The times at which files are dumped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dump {
    /// After executables are formed.
    Formed,
    /// Before they are translated.
    Compiled,
    /// After they have objects.
    Translated,
}

impl DumpArgs {
    /// Returns the kinds of files to dump at this time, by folder; each folder occurs once. An empty name disables a
    /// kind.
    pub(crate) fn at(&self, dump: Dump) -> Vec<(&Path, Vec<ExtractKind>)> {
        let kinds: &[(&Option<PathBuf>, &[ExtractKind])] = match dump {
            Dump::Formed => &[(&self.dump_executable_sources_to, &[ExtractKind::Mlir])],
            Dump::Compiled => {
                return self.report.iter().map(|folder| (folder.as_path(), vec![ExtractKind::Mlir])).collect();
            }
            Dump::Translated => &[
                (&self.dump_executable_intermediates_to, &[ExtractKind::Llvm, ExtractKind::Asm]),
                (&self.dump_executable_binaries_to, &[ExtractKind::Obj]),
                (&self.dump_executable_benchmarks_to, &[ExtractKind::Benchmark]),
            ],
        };
        let mut places: Vec<(&Path, Vec<ExtractKind>)> = Vec::new();
        for (own, kinds) in kinds {
            let Some(folder) = own.as_deref().or(self.dump_executable_files_to.as_deref()) else { continue };
            if folder.as_os_str().is_empty() {
                continue;
            }
            match places.iter_mut().find(|(f, _)| *f == folder) {
                Some((_, list)) => list.extend(*kinds),
                None => places.push((folder, kinds.to_vec())),
            }
        }
        places
    }

    /// The folders for what stages change.
    pub(crate) fn stage_folders(&self) -> impl Iterator<Item = &Path> {
        let own = self.dump_executable_stages_to.as_deref().filter(|folder| !folder.as_os_str().is_empty());
        own.into_iter().chain(self.report.as_deref())
    }

    /// Whether any file is dumped at this time.
    pub(crate) fn any(&self, dump: Dump) -> bool {
        !self.at(dump).is_empty()
    }

    /// Makes the folders, before anything is compiled. Errors: one that cannot be made.
    pub(crate) fn prepare(&self) -> Result<()> {
        for (folder, _) in self.at(Dump::Formed).into_iter().chain(self.at(Dump::Translated)) {
            fs::create_dir_all(folder).map_err(|e| Error::io("make the folder", folder, &e))?;
        }
        for folder in self.stage_folders() {
            fs::create_dir_all(folder).map_err(|e| Error::io("make the folder", folder, &e))?;
        }
        Ok(())
    }
}
