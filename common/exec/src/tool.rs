//! External programs: found, called, and their failures told.
use crate::cleanup::Group;
use duct::{Expression, Handle};
use halyard_diag::{Error, Result, quote};
use std::{
    ffi::{OsStr, OsString},
    fmt::Write,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{ExitStatus, Output},
    time::{Duration, Instant},
};

/// How long a child may take to end after SIGTERM before SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// How many of the last lines of a failed child's standard error are shown.
const TAIL: usize = 40;

/// An external program.
#[derive(Debug, Clone)]
pub struct Tool {
    /// What messages call it.
    name: String,
    path: PathBuf,
    /// Arguments before all others.
    first: Vec<OsString>,
}

impl Tool {
    /// Finds a program: `name` with a slash is a path, else it is searched on `PATH`. Errors: not found, not executable;
    /// `install` says how to get it, e.g. ``install the package `lld-22` ``.
    pub fn find(name: &str, install: &str) -> Result<Self> {
        Self::find_any(&[name], &[], install)
    }

    /// Finds the first of several names (`ld.lld-22`, `ld.lld`), in `folders` before `PATH`. Errors: as [`Tool::find`].
    pub fn find_any(names: &[&str], folders: &[&Path], install: &str) -> Result<Self> {
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        for name in names {
            let path = Path::new(name);
            let found = if name.contains('/') {
                is_executable(path).then(|| path.to_owned())
            } else {
                let candidates =
                    folders.iter().map(|f| f.join(name)).chain(std::env::split_paths(&on_path).map(|f| f.join(name)));
                candidates.into_iter().find(|p| is_executable(p))
            };
            if let Some(path) = found {
                return Ok(Self { name: (*name).to_owned(), path, first: Vec::new() });
            }
        }
        let name = names.first().copied().unwrap_or_default();
        let error = Error::environment(if name.contains('/') {
            let why = if Path::new(name).exists() { "is not an executable file" } else { "does not exist" };
            format!("cannot run `{name}`: it {why}")
        } else {
            format!("cannot find the program `{name}` on `PATH`")
        });
        Err(if install.is_empty() {
            error.code("missing-program")
        } else {
            error.code("missing-program").hint(install)
        })
    }

    /// Finds a program of LLVM 22 by its plain name, e.g. `ld.lld`: where LLVM was when Halyard was built, then
    /// `NAME-22` and `NAME` on `PATH`. `package` is the Debian package that has it.
    pub fn llvm(name: &str, package: &str) -> Result<Self> {
        let prefix = std::env::var_os("MLIR_SYS_220_PREFIX").map(PathBuf::from);
        let built = option_env!("MLIR_SYS_220_PREFIX").map(PathBuf::from);
        let folders: Vec<_> = prefix.into_iter().chain(built).map(|p| p.join("bin")).collect();
        let folders: Vec<_> = folders.iter().map(PathBuf::as_path).collect();
        let in_folders = folders.iter().map(|f| f.join(name)).find(|p| is_executable(p));
        if let Some(path) = in_folders {
            return Ok(Self { name: name.to_owned(), path, first: Vec::new() });
        }
        let versioned = format!("{name}-22");
        let found = Self::find_any(
            &[&versioned, name],
            &[],
            &format!("install the package `{package}`, or run `scripts/setup`"),
        )?;
        Ok(Self { name: name.to_owned(), ..found })
    }

    /// A command line for `sh -c`.
    pub fn shell(line: &str) -> Result<Self> {
        let sh = Self::find("sh", "")?;
        Ok(Self { name: line.to_owned(), first: vec!["-c".into(), line.into()], ..sh })
    }

    /// The file that is run.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Prepares a call.
    pub fn call<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Call<'_> {
        let args: Vec<OsString> =
            self.first.iter().cloned().chain(args.into_iter().map(|a| a.as_ref().to_owned())).collect();
        Call { tool: self, args, stdin: None, env: Vec::new(), folder: None, limit: None }
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// A call of a [`Tool`].
#[derive(Debug)]
pub struct Call<'t> {
    tool: &'t Tool,
    args: Vec<OsString>,
    stdin: Option<Vec<u8>>,
    env: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
    limit: Option<Duration>,
}

/// A child that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl Call<'_> {
    /// What the child reads; nothing by default.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Sets a variable of the child's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The folder where the child runs.
    #[must_use]
    pub fn folder(mut self, path: impl Into<PathBuf>) -> Self {
        self.folder = Some(path.into());
        self
    }

    /// How long the child may take; then it and its children are ended.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The command line, quoted for a shell.
    pub fn line(&self) -> String {
        let words = std::iter::once(self.tool.path.as_os_str()).chain(self.args.iter().map(OsString::as_os_str));
        words.map(|w| quote(&w.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }

    /// Runs it. Errors: it cannot be started (environment); it fails, is killed or takes too long (tool), with the end
    /// of its standard error and the command line.
    pub fn run(self) -> Result<Finished> {
        let finished = self.run_unchecked()?;
        if finished.status.success() {
            return Ok(finished);
        }
        Err(self.failure(&ending(finished.status), &finished.stderr))
    }

    /// As [`Call::run`], but any exit code will do. Errors: it cannot be started, is too slow.
    pub fn run_unchecked(&self) -> Result<Finished> {
        let cannot = |e: &std::io::Error| Error::io("run", &self.tool.path, e);
        let handle = self.expression().start().map_err(|e| cannot(&e))?;
        let group = Group::new(handle.pids().first().copied().unwrap_or_default());
        let deadline = self.limit.map(|limit| Instant::now() + limit);
        let in_time = match deadline {
            Some(deadline) => handle.wait_deadline(deadline).map_err(|e| cannot(&e))?.is_some(),
            None => true,
        };
        if !in_time {
            end(&group, &handle);
        }
        let Output { status, stdout, stderr } = handle.into_output().map_err(|e| cannot(&e))?;
        drop(group);
        if !in_time {
            let limit = self.limit.unwrap_or_default().as_secs_f64();
            return Err(self.failure(&format!("did not finish within {limit} s and was ended"), &stderr));
        }
        Ok(Finished { status, stdout, stderr })
    }

    fn expression(&self) -> Expression {
        let mut expression =
            duct::cmd(&self.tool.path, &self.args).stdout_capture().stderr_capture().unchecked().before_spawn(
                |command| {
                    command.process_group(0);
                    Ok(())
                },
            );
        expression = match &self.stdin {
            Some(bytes) => expression.stdin_bytes(bytes.clone()),
            None => expression.stdin_null(),
        };
        for (name, value) in &self.env {
            expression = expression.env(name, value);
        }
        match &self.folder {
            Some(folder) => expression.dir(folder),
            None => expression,
        }
    }

    fn failure(&self, how: &str, stderr: &[u8]) -> Error {
        let error = Error::tool(format!("`{}` {how}", self.tool.name)).code("tool-failed");
        let said = tail(&String::from_utf8_lossy(stderr));
        let error =
            if said.is_empty() { error.note("it said nothing") } else { error.note(format!("it said:\n{said}")) };
        error.note(format!("the command was: {}", self.line()))
    }
}

/// SIGTERM, time to end, SIGKILL; the whole group.
fn end(group: &Group, handle: &Handle) {
    group.signal(libc::SIGTERM);
    let gone = handle.wait_timeout(GRACE).is_ok_and(|o| o.is_some());
    // Even where the child is gone, its children may not be.
    group.signal(libc::SIGKILL);
    if !gone {
        let _ = handle.kill();
    }
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("failed with exit code {code}"),
        (None, Some(signal)) => {
            let name = signal_hook::low_level::signal_name(signal).map_or_else(|| "signal".into(), str::to_owned);
            format!("was killed by {name} ({signal})")
        }
        (None, None) => "failed".into(),
    }
}

/// The last lines, indented.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let skipped = lines.len().saturating_sub(TAIL);
    let mut shown = String::new();
    if skipped > 0 {
        let _ = writeln!(shown, "  … {skipped} lines before …");
    }
    for line in &lines[skipped..] {
        let short: String = line.chars().take(400).collect();
        let _ = writeln!(shown, "  {short}");
    }
    shown.truncate(shown.trim_end().len());
    shown
}

#[cfg(test)]
mod tests;
