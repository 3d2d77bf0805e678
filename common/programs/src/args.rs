//! Flags of all tools that run programs.
use crate::DeviceArgs;
use clap::Args;
use halyard_manifest::PluginArgs;
use std::{path::PathBuf, time::Duration};

/// What a program needs beside its file, and how much of the machine it takes.
#[derive(Debug, Clone, Default, Args)]
pub struct LoadArgs {
    /// Load FILE.so, a host library: functions that the host program calls; repeatable
    #[arg(long, value_name = "FILE")]
    pub module: Vec<PathBuf>,
    /// Set the load-time constant user.NAME to N; repeatable
    #[arg(long, value_name = "NAME=N", value_parser = constant, allow_hyphen_values = true)]
    pub constant: Vec<(String, i64)>,
    /// Load FILE.so, a kernel library: functions that kernels import; repeatable
    #[arg(long, value_name = "FILE", alias = "executable_plugin")]
    pub executable_plugin: Vec<PathBuf>,
    /// Use N threads; 0 is one per CPU
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Stop a run after DURATION (`30s`, `500ms`) and name the kernel that was running [default: no limit]
    #[arg(long, value_name = "DURATION", value_parser = halyard_cli::duration)]
    pub timeout: Option<Duration>,
    /// The inputs of the program.
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Plugins.
    #[command(flatten)]
    pub plugins: PluginArgs,
}

/// Parses a user-defined constant: `tile=32`.
fn constant(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=N")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no whole number"))?;
    Ok((name.strip_prefix(halyard_runtime::USER_PREFIX).unwrap_or(name).to_owned(), value))
}
