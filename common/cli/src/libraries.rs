//! Flags for shared libraries that add to MLIR, with the names that they have in mlir-opt.
use crate::depend_on;
use clap::Args;
use std::path::{Path, PathBuf};

/// For tools that read MLIR.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plugins")]
pub struct DialectLibraryArgs {
    /// Load an MLIR dialect plugin: a shared library built for the same MLIR; repeatable
    #[arg(long, value_name = "LIBRARY")]
    pub load_dialect_plugin: Vec<PathBuf>,
}

/// For tools that run passes, too.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plugins")]
pub struct LibraryArgs {
    /// Load an MLIR pass plugin: a shared library built for the same MLIR; repeatable
    ///
    /// Its passes can be named in stages, pass pipelines, pipelines and transform scripts.
    #[arg(long, value_name = "LIBRARY")]
    pub load_pass_plugin: Vec<PathBuf>,
    /// Dialects.
    #[command(flatten)]
    pub dialects: DialectLibraryArgs,
}

impl DialectLibraryArgs {
    /// The libraries with dialects, in order. The output depends on them.
    pub fn dialects(&self) -> &[PathBuf] {
        self.load_dialect_plugin.iter().for_each(|p| depend_on(p));
        &self.load_dialect_plugin
    }

    /// The equivalent command-line arguments.
    pub fn words(&self) -> impl Iterator<Item = String> {
        words("--load-dialect-plugin", &self.load_dialect_plugin)
    }
}

impl LibraryArgs {
    /// The libraries with passes, in order. The output depends on them.
    pub fn passes(&self) -> &[PathBuf] {
        self.load_pass_plugin.iter().for_each(|p| depend_on(p));
        &self.load_pass_plugin
    }

    /// The libraries with dialects, in order. The output depends on them.
    pub fn dialects(&self) -> &[PathBuf] {
        self.dialects.dialects()
    }

    /// The equivalent command-line arguments.
    pub fn words(&self) -> impl Iterator<Item = String> {
        words("--load-pass-plugin", &self.load_pass_plugin).chain(self.dialects.words())
    }
}

fn words(flag: &str, paths: &[PathBuf]) -> impl Iterator<Item = String> {
    paths.iter().map(move |p: &PathBuf| format!("{flag}={}", Path::display(p)))
}
