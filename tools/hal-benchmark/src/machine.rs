//! Describes the machine of a measurement.
use serde::Serialize;
use std::fs;

/// Properties of the machine that explain measurements; `None` if unknown.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    /// The processor's name, or the architecture.
    pub(crate) cpu: String,
    /// Logical processors that this process may use.
    pub(crate) cores: usize,
    /// `x86_64`, `aarch64`, …
    pub(crate) arch: &'static str,
    /// The distribution, or the kind of system.
    pub(crate) os: String,
    /// The version of the operating system's kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kernel: Option<String>,
    /// The frequency governor of the operating system's kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) governor: Option<String>,
    /// Processes that wanted to run, on average over the last minute, before measuring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) load: Option<f64>,
}

impl Machine {
    /// Queries this machine.
    pub(crate) fn here() -> Self {
        let line = |path: &str| fs::read_to_string(path).ok().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
        Self {
            cpu: value_of("/proc/cpuinfo", "model name", ':').unwrap_or_else(|| std::env::consts::ARCH.into()),
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            arch: std::env::consts::ARCH,
            os: value_of("/etc/os-release", "PRETTY_NAME", '=').unwrap_or_else(|| std::env::consts::OS.into()),
            kernel: line("/proc/sys/kernel/osrelease"),
            governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            load: line("/proc/loadavg").and_then(|t| t.split(' ').next()?.parse().ok()),
        }
    }
}

/// The value of the first line `KEY separator VALUE` of a file, without quotes.
fn value_of(path: &str, key: &str, separator: char) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let value = text.lines().filter_map(|l| l.split_once(separator)).find(|(k, _)| k.trim() == key)?.1;
    Some(value.trim().trim_matches('"').to_owned())
}
