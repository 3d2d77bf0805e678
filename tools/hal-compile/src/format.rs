//! What `--emit` chooses.
use clap::ValueEnum;

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompileFormat {
    /// MLIR text
    Text,
    /// MLIR bytecode
    Bytecode,
    /// A folder with `build.ninja`, the executables, and all else to build the program by parts
    Ninja,
    /// The same with a `Makefile`
    Make,
}

/// The program that runs a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GraphKind {
    Ninja,
    Make,
}

impl GraphKind {
    /// The name of its file.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Ninja => "build.ninja",
            Self::Make => "Makefile",
        }
    }
}
