//! The flags, the same in all tools that run programs.
use crate::DeviceArgs;
use clap::Args;
use halyard_manifest::PluginArgs;
use std::{path::PathBuf, time::Duration};

/// What a program needs beside its file, and how much of the machine it takes.
#[derive(Debug, Clone, Default, Args)]
pub struct LoadArgs {
    /// Load FILE.so, a module with functions that the host program calls; repeatable
    #[arg(long, value_name = "FILE")]
    pub module: Vec<PathBuf>,
    /// Give kernels the number N for user.NAME, a load-time constant; repeatable
    #[arg(long, value_name = "NAME=N", value_parser = constant, allow_hyphen_values = true)]
    pub constant: Vec<(String, i64)>,
    /// Load FILE.so, a library with functions that kernels take from plugins; repeatable
    #[arg(long, value_name = "FILE", alias = "executable_plugin")]
    pub executable_plugin: Vec<PathBuf>,
    /// Use N threads; 0 is one per CPU
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// End a run that takes longer than S seconds, and tell which kernel was running [default: no limit]
    #[arg(long, value_name = "S", value_parser = timeout)]
    pub timeout: Option<Duration>,
    /// What the program runs on.
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Plugins.
    #[command(flatten)]
    pub plugins: PluginArgs,
}

/// A time that is worth waiting for.
fn timeout(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds
        .filter(|s| !s.is_zero() && s.as_secs() < 100_000_000)
        .ok_or_else(|| "not a number of seconds above 0".into())
}

/// `tile=32`.
fn constant(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=N")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no whole number"))?;
    Ok((name.strip_prefix(halyard_runtime::USER_PREFIX).unwrap_or(name).to_owned(), value))
}
