//! `-g` and its folder.
use crate::{PluginTarget, debug_info::DebugInfo, target::Target, targets};
use halyard_diag::{Error, Result};
use std::path::{Path, PathBuf};

/// The flags of line tables.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct DebugArgs {
    /// Generate line tables, for gdb, perf and other tools
    ///
    /// The lines are those of an MLIR file per executable, which is written to the folder of --debug-sources. The code
    /// stays the same. For targets whose code LLVM generates: not for vulkan, nor for targets of plugins.
    #[arg(short = 'g', long)]
    pub debug_info: bool,
    /// With -g: write the MLIR files that lines refer to into FOLDER [default: the output with the extension .debug]
    #[arg(long, value_name = "FOLDER", requires = "debug_info")]
    pub debug_sources: Option<PathBuf>,
}

impl DebugArgs {
    /// Returns the settings; `None` without `-g`. Errors: it is not known where the files are to be written, or a target has
    /// no line tables.
    pub fn debug_info(&self, output: &Path, own: &[Target], plugins: &[PluginTarget]) -> Result<Option<DebugInfo>> {
        if !self.debug_info {
            return Ok(None);
        }
        let without = own.iter().find(|t| targets::of(t).line_tables().is_none()).map(|t| t.device().to_owned());
        if let Some(target) = without.or(plugins.first().map(|t| t.name().to_owned())) {
            return Err(
                Error::usage(format!("`-g` makes no line tables for `{target}`")).hint("leave out `-g`, or the target")
            );
        }
        let folder = match &self.debug_sources {
            Some(folder) => folder.clone(),
            None if output.as_os_str() == "-" || (output.exists() && !output.is_file()) => {
                return Err(Error::usage(
                    "`-g` writes the files that lines refer to beside the output, which is no file",
                )
                .hint("name a folder: `--debug-sources=FOLDER`"));
            }
            None => output.with_extension("debug"),
        };
        Ok(Some(DebugInfo::new(folder)))
    }

    /// The flags as words, for an output.
    pub fn words(&self, output: &Path) -> Vec<String> {
        if !self.debug_info {
            return Vec::new();
        }
        let folder = self.debug_sources.clone().unwrap_or_else(|| output.with_extension("debug"));
        vec!["-g".into(), format!("--debug-sources={}", folder.display())]
    }
}
