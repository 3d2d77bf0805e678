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
    /// Stop a run after S seconds and name the kernel that was running [default: no limit]
    #[arg(long, value_name = "S", value_parser = timeout)]
    pub timeout: Option<Duration>,
    /// The inputs of the program.
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Plugins.
    #[command(flatten)]
    pub plugins: PluginArgs,
}

/// Parses a positive duration.
fn timeout(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds
        .filter(|s| !s.is_zero() && s.as_secs() < 100_000_000)
        .ok_or_else(|| "not a number of seconds above 0".into())
}

/// Parses a user-defined constant: `tile=32`.
fn constant(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=N")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no whole number"))?;
    Ok((name.strip_prefix(halyard_runtime::USER_PREFIX).unwrap_or(name).to_owned(), value))
}
