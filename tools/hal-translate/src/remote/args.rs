//! Flags about launchers; the driver and the tuner have them, too.
use halyard_cli::duration;
use halyard_diag::{Error, Result, quote};
use halyard_exec::Launcher;
use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

/// The time limit of a job: longer than a queue of a cluster holds a job of less than a second, shorter than a night.
const TIME: Duration = Duration::from_secs(600);
/// Jobs at once.
const JOBS: usize = 8;

/// Where executables are translated, if not here.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "On other machines")]
pub struct LauncherArgs {
    /// Translate through a command that runs another one elsewhere and forwards its standard streams, such as 'srun -Q -n1'
    ///
    /// The command line is for a shell; a `hal-translate` is appended to it, which reads executables and writes their code. Jobs
    /// that are lost are sent again, and done here in the end. The output is the same, byte for byte. See docs/build-farm.md
    #[arg(long, value_name = "COMMAND")]
    pub launcher: Option<String>,
    /// Launch up to N jobs at once [default: 8]
    #[arg(long, value_name = "N", requires = "launcher")]
    pub launcher_jobs: Option<NonZeroUsize>,
    /// Give a job up, and send it again, after this time, such as 90s or 5m; waiting for a place counts [default: 10m]
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "launcher")]
    pub launcher_timeout: Option<Duration>,
    /// Where `hal-translate` of this build is on the other machines [default: the path that it has here]
    #[arg(long, value_name = "PATH", requires = "launcher")]
    pub launcher_tool: Option<PathBuf>,
}

impl LauncherArgs {
    /// Returns the launcher, if one is asked for. Errors: an empty command; `hal-translate` is not beside this program.
    pub fn launcher(&self) -> Result<Option<Launcher>> {
        let Some(line) = &self.launcher else { return Ok(None) };
        if line.trim().is_empty() {
            return Err(Error::usage("`--launcher` has an empty command").hint("to translate here, leave it out"));
        }
        let tool = match &self.launcher_tool {
            Some(tool) => tool.clone(),
            None => beside()?,
        };
        let command = vec![tool.display().to_string(), "--remote-worker".to_owned()];
        let jobs = self.launcher_jobs.or(NonZeroUsize::new(JOBS)).unwrap_or(NonZeroUsize::MIN);
        Ok(Some(Launcher::new(line, command, jobs, self.launcher_timeout.unwrap_or(TIME))))
    }

    /// The flags as they would be written.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.launcher.iter().map(|l| format!("--launcher={l}")).collect();
        words.extend(self.launcher_jobs.map(|n| format!("--launcher-jobs={n}")));
        words.extend(self.launcher_timeout.map(|t| format!("--launcher-timeout={}s", t.as_secs_f64())));
        words.extend(self.launcher_tool.iter().map(|p| format!("--launcher-tool={}", p.display())));
        words
    }
}

/// `hal-translate` of this build: this program itself, or the one in its folder.
fn beside() -> Result<PathBuf> {
    let me = std::env::current_exe().map_err(|e| Error::environment(format!("this program has no path: {e}")))?;
    let tool = me.with_file_name("hal-translate");
    if tool.is_file() {
        return Ok(tool);
    }
    let folder = quote(&me.parent().unwrap_or(&me).display().to_string());
    Err(Error::environment(format!("`hal-translate` is not in `{folder}`, where this program is"))
        .code("missing-program")
        .hint("`--launcher-tool=PATH` names the one that the other machines have"))
}
