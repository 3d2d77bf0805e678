//! Arguments that all tools share.
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// When to colour messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum MessageFormat {
    /// With source excerpts
    #[default]
    Human,
    /// file:line:column: error: message
    Short,
    /// One JSON object a line
    Json,
}

/// Flags of every tool.
#[derive(Debug, Clone, Args, Default)]
#[command(next_help_heading = "Common options")]
pub struct GlobalArgs {
    /// When to colour messages
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    pub color: ColorChoice,
    /// How messages are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, global = true)]
    pub message_format: MessageFormat,
    /// Say less: -q no notes and progress, -qq errors only
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub quiet: u8,
    /// Say more: -v progress in detail, -vv everything
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
}

/// How many things run at once.
#[derive(Debug, Clone, Copy, Args, Default)]
pub struct JobsArgs {
    /// Run N jobs at once [default: the slots of `make -j`, else one per CPU]
    #[arg(short, long, value_name = "N", help_heading = None)]
    pub jobs: Option<std::num::NonZeroUsize>,
}

/// Text or bytecode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModuleFormat {
    /// MLIR text
    Text,
    /// MLIR bytecode
    Bytecode,
}

/// Output of a tool that writes MLIR.
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// Write to FILE, atomically; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-", help_heading = None)]
    pub output: PathBuf,
    /// Write text or bytecode [default: text; bytecode if FILE ends in .mlirbc]
    #[arg(long, value_name = "KIND", value_enum, help_heading = None)]
    pub emit: Option<ModuleFormat>,
    /// Short for --emit=bytecode
    #[arg(long, conflicts_with = "emit", help_heading = None)]
    pub emit_bytecode: bool,
    /// Write bytecode even to a terminal
    #[arg(short, long, help_heading = None)]
    pub force: bool,
}

impl OutputArgs {
    /// Whether to write bytecode.
    pub fn bytecode(&self) -> bool {
        match self.emit {
            Some(kind) => kind == ModuleFormat::Bytecode,
            None => self.emit_bytecode || self.output.extension().is_some_and(|e| e == "mlirbc"),
        }
    }
}
