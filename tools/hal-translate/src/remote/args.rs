//! Flags about launchers; the driver and the tuner have them, too.
use super::program::{Program, words_there};
use halyard_cache::StoreAddress;
use halyard_cli::duration;
use halyard_diag::{Error, Result, quote};
use halyard_exec::{ExecutionServer, Launcher};
use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

/// The time limit of a job: longer than a queue of a cluster holds a job of less than a second, shorter than a night.
const TIME: Duration = Duration::from_secs(600);
/// Jobs at once.
const JOBS: usize = 8;

/// Where executables are translated, if not here.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "On other machines")]
pub struct LauncherArgs {
    /// Translate through a command that runs another one elsewhere and forwards its standard streams, such as 'srun -Q -n1', or
    /// on the workers of a remote execution server at a URL, such as grpc://HOST:PORT/INSTANCE
    ///
    /// A shell runs the command line, with a call of `hal-translate` appended that reads executables and writes their code. A URL
    /// begins with grpc:// or, for TLS, grpcs://; its server speaks Bazel's protocol (REAPI 2) and is sent this `hal-translate`, too.
    /// Lost jobs are sent again, and finally done here. The output is the same, byte for byte. See docs/build-farm.md
    #[arg(long, value_name = "COMMAND|URL")]
    pub launcher: Option<String>,
    /// Launch up to N jobs at once [default: 8]
    #[arg(long, value_name = "N", requires = "launcher")]
    pub launcher_jobs: Option<NonZeroUsize>,
    /// Abandon a job and send it again after this time, such as 90s or 5m, including its time in a queue [default: 10m]
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "launcher")]
    pub launcher_timeout: Option<Duration>,
    /// The path of this build's `hal-translate` on the other machines [default: its path here; with a URL, it is sent]
    #[arg(long, value_name = "PATH", requires = "launcher")]
    pub launcher_tool: Option<PathBuf>,
    /// With a URL: a property that workers must have, such as OSFamily=Linux; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = property, requires = "launcher")]
    pub launcher_property: Vec<(String, String)>,
}

/// Reads `NAME=VALUE`.
fn property(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or("it is not NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl LauncherArgs {
    /// Returns the launcher, if one is asked for. Errors: an empty command, or a URL that is none; `hal-translate` is not beside
    /// this program.
    pub fn launcher(&self) -> Result<Option<Launcher>> {
        let Some(line) = self.launcher.as_deref().map(str::trim) else { return Ok(None) };
        if line.is_empty() {
            return Err(Error::usage("`--launcher` has an empty command").hint("to translate here, leave it out"));
        }
        let server = server(line)?;
        if !server && !self.launcher_property.is_empty() {
            return Err(Error::usage("`--launcher-property` has no effect on a command")
                .hint("it goes with a server: `--launcher=grpc://HOST:PORT`"));
        }
        let (command, files) = match &self.launcher_tool {
            Some(tool) => (vec![tool.display().to_string()], Vec::new()),
            None if server => {
                let program = Program::read(&sibling_translate()?)?;
                (program.command, program.files)
            }
            None => (vec![sibling_translate()?.display().to_string()], Vec::new()),
        };
        let jobs = self.launcher_jobs.or(NonZeroUsize::new(JOBS)).unwrap_or(NonZeroUsize::MIN);
        let time = self.launcher_timeout.unwrap_or(TIME);
        let launcher = Launcher::new(line, words_there(command, server), jobs, time);
        let server = server.then(|| ExecutionServer::new(files, self.launcher_property.clone()));
        Ok(Some(Launcher { server, ..launcher }))
    }

    /// The flags as they would be written.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.launcher.iter().map(|l| format!("--launcher={l}")).collect();
        words.extend(self.launcher_jobs.map(|n| format!("--launcher-jobs={n}")));
        words.extend(self.launcher_timeout.map(|t| format!("--launcher-timeout={}s", t.as_secs_f64())));
        words.extend(self.launcher_tool.iter().map(|p| format!("--launcher-tool={}", p.display())));
        words.extend(self.launcher_property.iter().map(|(name, value)| format!("--launcher-property={name}={value}")));
        words
    }
}

/// Whether a launcher is the URL of a server, and no command. Errors: one that cannot be right.
fn server(line: &str) -> Result<bool> {
    let word = line.split_whitespace().next().unwrap_or_default();
    let Some((scheme, _)) = word.split_once("://").filter(|(s, _)| s.bytes().all(|b| b.is_ascii_alphanumeric())) else {
        return Ok(false);
    };
    if !["grpc", "grpcs"].contains(&scheme) {
        return Err(Error::usage(format!("`--launcher={word}`: nothing executes over `{scheme}`"))
            .hint("the URL of a remote execution server begins with `grpc://`, or `grpcs://` with TLS"));
    }
    if word != line {
        return Err(Error::usage(format!("`--launcher` has something after the URL: `{line}`")));
    }
    let address = StoreAddress::parse_for(line, "server of `--launcher`")?;
    if address.reads_only {
        return Err(Error::usage(format!("`mode=read` has no effect on `--launcher={address}`"))
            .hint("it goes with `--cache-remote`"));
    }
    Ok(true)
}

/// `hal-translate` of this build: this program itself, or the one in its folder.
fn sibling_translate() -> Result<PathBuf> {
    let me = std::env::current_exe().map_err(|e| Error::environment(format!("this program has no path: {e}")))?;
    let tool = me.with_file_name("hal-translate");
    if halyard_diag::may_be_file(&tool) {
        return Ok(tool);
    }
    let folder = quote(&me.parent().unwrap_or(&me).display().to_string());
    Err(Error::environment(format!("`hal-translate` is not in `{folder}`, where this program is"))
        .code("missing-program")
        .hint("`--launcher-tool=PATH` is the path of `hal-translate` on the other machines"))
}
