//! `--list-targets`.
use halyard_diag::Result;
use halyard_plugins::{PluginArgs, declared_targets};
use halyard_targets::{TargetLine, list_target, list_targets};

/// Lists targets and stops.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ListTargetsArgs {
    /// List what --target accepts, or the chips and features of a target, such as `cpu:@aarch64-linux-gnu`, and stop
    #[arg(long, value_name = "TARGET", num_args = 0..=1, require_equals = true)]
    pub list_targets: Option<Option<String>>,
}

impl ListTargetsArgs {
    /// Returns the list, if one is asked for, with the targets of all plugins that are found. Errors: a target that does not
    /// exist, a folder of plugins that does not exist.
    pub fn list(&self, plugins: &PluginArgs) -> Result<Option<String>> {
        let Some(of) = &self.list_targets else { return Ok(None) };
        if let Some(target) = of {
            return list_target(target).map(Some);
        }
        let line = |(plugin, target, words): (String, String, String)| {
            let of = format!("plugin `{plugin}`: --plugin={plugin}");
            let words = if words.is_empty() { of } else { format!("{words} ({of})") };
            TargetLine { form: target, words }
        };
        let others: Vec<TargetLine> = declared_targets(plugins)?.into_iter().map(line).collect();
        Ok(Some(list_targets(&others)))
    }
}
