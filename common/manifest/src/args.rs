//! The flags, the same in all tools.
use clap::Args;
use std::path::PathBuf;

/// Which plugins are on.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plugins")]
pub struct PluginArgs {
    /// Switch a plugin on: NAME, NAME{OPTION=VALUE …} or its FOLDER with a slash; -NAME switches it off; repeatable, in order
    ///
    /// A plugin is a folder with a file `plugin.toml`. HALYARD_PLUGINS names more, with blanks between, which come first. With
    /// --help, the options of the plugins that are on are shown. docs/plugins.md has all.
    #[arg(long, value_name = "PLUGIN", allow_hyphen_values = true)]
    pub plugin: Vec<String>,
    /// Look for plugins in FOLDER; repeatable
    ///
    /// HALYARD_PLUGIN_PATH has more folders, with colons between, which come after these.
    #[arg(long, value_name = "FOLDER")]
    pub plugin_path: Vec<PathBuf>,
    /// Print all plugins that are found with what they contribute, and stop
    #[arg(long)]
    pub list_plugins: bool,
}

/// For tools that read programs.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plugins")]
pub struct ProgramPluginArgs {
    /// Which plugins are on.
    #[command(flatten)]
    pub chosen: PluginArgs,
    /// Switch on what a program asks for (`hal.plugins`); plugins that are marked safe need no permission
    #[arg(long)]
    pub allow_program_plugins: bool,
}

impl PluginArgs {
    /// The folders, those of the environment last.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let more = std::env::var_os("HALYARD_PLUGIN_PATH").unwrap_or_default();
        let more: Vec<_> = std::env::split_paths(&more).filter(|p| p.is_dir()).collect();
        self.plugin_path.iter().cloned().chain(more).collect()
    }

    /// The words of a command line that says the same.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let folders = self.plugin_path.iter().map(|f| format!("--plugin-path={}", f.display()));
        folders.chain(self.plugin.iter().map(|p| format!("--plugin={p}")))
    }
}

impl ProgramPluginArgs {
    /// The words of a command line that says the same.
    pub fn words(&self) -> impl Iterator<Item = String> {
        self.chosen.words().chain(self.allow_program_plugins.then(|| "--allow-program-plugins".to_owned()))
    }
}
