//! The flags for executables whose translation crashes, hangs or eats all memory; the driver has them, too.
use clap::Args;
use halyard_cli::{duration, size};
use std::{path::PathBuf, time::Duration};

/// What becomes of an executable whose translation does not end well.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "When a translation crashes")]
pub struct ContainmentArgs {
    /// Give up on an executable after this time, as in 30s or 5m [default: never]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub executable_timeout: Option<Duration>,
    /// Give up on an executable that takes this much memory, as in 2G, beyond what reading the program took
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub executable_memory: Option<u64>,
    /// Save a reproducer of each such executable below FOLDER [default: a new folder below TMPDIR]
    #[arg(long, value_name = "FOLDER")]
    pub reproducers_to: Option<PathBuf>,
    /// Go on with the other executables, and report all that fail; nothing is written then, either
    #[arg(long)]
    pub keep_going: bool,
}

impl ContainmentArgs {
    /// The flags as they would be written.
    pub fn flags(&self) -> Vec<String> {
        let mut words = self.limits();
        words.extend(self.reproducers_to.iter().map(|f| format!("--reproducers-to={}", f.display())));
        words.extend(self.keep_going.then(|| "--keep-going".to_owned()));
        words
    }

    /// Those of them that decide whether a translation ends well.
    pub(crate) fn limits(&self) -> Vec<String> {
        let mut words = Vec::new();
        words.extend(self.executable_timeout.map(|t| format!("--executable-timeout={}s", t.as_secs_f64())));
        words.extend(self.executable_memory.map(|m| format!("--executable-memory={m}")));
        words
    }
}
