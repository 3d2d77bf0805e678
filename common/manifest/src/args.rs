//! Flags for plugins, the same in all tools.
use clap::Args;
use std::path::PathBuf;

/// The enabled plugins.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plugins")]
pub struct PluginArgs {
    /// Enable a plugin: NAME, NAME{OPTION=VALUE …}, or its FOLDER with a slash; -NAME disables it; repeatable, in order
    ///
    /// A plugin is a folder with a file `plugin.toml`. HALYARD_PLUGINS names further plugins, separated by spaces,
    /// which come first. With --help, the options of enabled plugins are shown. See docs/plugins.md.
    #[arg(long, value_name = "PLUGIN", allow_hyphen_values = true)]
    pub plugin: Vec<String>,
    /// Look for plugins in FOLDER; repeatable
    ///
    /// HALYARD_PLUGIN_PATH lists further folders, separated by colons, which are searched after these.
    #[arg(long, value_name = "FOLDER")]
    pub plugin_path: Vec<PathBuf>,
    /// List all plugins found and what they contribute, and stop
    #[arg(long)]
    pub list_plugins: bool,
}

/// For tools that read programs.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plugins")]
pub struct ProgramPluginArgs {
    /// The enabled plugins.
    #[command(flatten)]
    pub chosen: PluginArgs,
    /// Enable the plugins that a program asks for (`hal.plugins`); plugins marked safe need no permission
    #[arg(long)]
    pub allow_program_plugins: bool,
}

impl PluginArgs {
    /// The folders, those of the environment last.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let more = std::env::var_os("HALYARD_PLUGIN_PATH").unwrap_or_default();
        let more: Vec<_> = std::env::split_paths(&more).filter(|p| halyard_diag::may_be_folder(p)).collect();
        self.plugin_path.iter().cloned().chain(more).collect()
    }

    /// The equivalent command-line arguments.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let folders = self.plugin_path.iter().map(|f| format!("--plugin-path={}", f.display()));
        folders.chain(self.plugin.iter().map(|p| format!("--plugin={p}")))
    }
}

impl ProgramPluginArgs {
    /// The equivalent command-line arguments.
    pub fn words(&self) -> impl Iterator<Item = String> {
        self.chosen.words().chain(self.allow_program_plugins.then(|| "--allow-program-plugins".to_owned()))
    }
}
