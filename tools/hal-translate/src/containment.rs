//! Flags for executables whose translation crashes, hangs or exhausts memory; the driver has them, too.
use clap::Args;
use halyard_cli::{duration, size};
use std::{path::PathBuf, time::Duration};

/// How failed translations are handled.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "When a translation crashes")]
pub struct ContainmentArgs {
    /// Stop translating an executable after this time, such as 30s or 5m [default: never]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub executable_timeout: Option<Duration>,
    /// Stop translating an executable that uses this much memory, such as 2G, beyond that of the loaded program
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub executable_memory: Option<u64>,
    /// Save a reproducer of each executable that fails below FOLDER [default: a new folder below TMPDIR]
    #[arg(long, value_name = "FOLDER")]
    pub reproducers_to: Option<PathBuf>,
    /// After a failure, try the other executables and report all failures; still write no output
    #[arg(long)]
    pub keep_going: bool,
    /// Whether executables are versions that a tool tries, and those that fail are results: they leave no reproducers, and one whose
    /// worker was killed from outside is translated again, once.
    #[arg(skip)]
    pub is_trial: bool,
}

impl ContainmentArgs {
    /// The flags as they would be written.
    pub fn flags(&self) -> Vec<String> {
        let mut words = self.limits();
        words.extend(self.reproducers_to.iter().map(|f| format!("--reproducers-to={}", f.display())));
        words.extend(self.keep_going.then(|| "--keep-going".to_owned()));
        words
    }

    /// Returns the flags that can make a translation fail.
    pub(crate) fn limits(&self) -> Vec<String> {
        let mut words = Vec::new();
        words.extend(self.executable_timeout.map(|t| format!("--executable-timeout={}s", t.as_secs_f64())));
        words.extend(self.executable_memory.map(|m| format!("--executable-memory={m}")));
        words
    }
}
