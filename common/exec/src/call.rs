//! One call of an external program.
use crate::{
    Cancel, ExitOutcome, Slots, Tail, Tool,
    supervise::{Limits, Outcome, Running, start},
};
use halyard_diag::{Error, Result, quote};
use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// Lines of a failed child's standard error that are shown, from its end.
pub const TAIL: usize = 40;
/// The default limit of a child's standard output in bytes.
pub const OUTPUT: u64 = 1 << 30;

/// A call of a [`Tool`].
#[derive(Debug)]
pub struct Call<'t> {
    tool: &'t Tool,
    args: Vec<OsString>,
    stdin: Option<Vec<u8>>,
    env: Vec<(OsString, Option<OsString>)>,
    folder: Option<PathBuf>,
    limits: Limits,
    slots: Option<Slots>,
}

/// A child that has ended.
#[derive(Debug)]
pub struct Finished {
    /// The way it ended.
    pub ending: ExitOutcome,
    /// All of its standard output.
    pub stdout: Vec<u8>,
    /// The end of its standard error.
    pub stderr: Tail,
    /// Whether processes that it left behind held its output open.
    pub left_behind: bool,
    /// The number of processes that had left its group and were ended after it.
    pub ended: usize,
    /// The number of processes below it that could not be ended.
    pub staying: usize,
}

impl Tool {
    /// Prepares a call.
    pub fn call<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Call<'_> {
        let args = args.into_iter().map(|a| a.as_ref().to_owned());
        Call::new(self, self.first.iter().cloned().chain(args).collect())
    }
}

impl<'t> Call<'t> {
    pub(crate) fn new(tool: &'t Tool, args: Vec<OsString>) -> Self {
        let limits = Limits { output: OUTPUT, ..Limits::default() };
        Self { tool, args, stdin: None, env: Vec::new(), folder: None, limits, slots: None }
    }

    /// Sets the child's standard input; empty by default.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Sets a variable of the child's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), Some(value.into())));
        self
    }

    /// Removes a variable of the child's environment.
    #[must_use]
    pub fn without_env(mut self, name: impl Into<OsString>) -> Self {
        self.env.push((name.into(), None));
        self
    }

    /// Sets the folder where the child runs.
    #[must_use]
    pub fn folder(mut self, path: impl Into<PathBuf>) -> Self {
        self.folder = Some(path.into());
        self
    }

    /// Limits the time of the child; after that it and its children are ended.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limits.time = Some(limit);
        self
    }

    /// Limits the address space of each process of the child, in bytes.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Limits what the child may write to standard output, in bytes.
    #[must_use]
    pub fn output(mut self, bytes: u64) -> Self {
        self.limits.output = bytes;
        self
    }

    /// Ends the child when the work is called off.
    #[must_use]
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.limits.cancel = Some(cancel.clone());
        self
    }

    /// Shares the job server of these slots with the child. The caller holds one of them while the child runs.
    #[must_use]
    pub fn slots(mut self, slots: &Slots) -> Self {
        self.slots = Some(slots.clone());
        self
    }

    /// The command line, quoted for a shell.
    pub fn line(&self) -> String {
        let words = std::iter::once(self.tool.path().as_os_str()).chain(self.args.iter().map(OsString::as_os_str));
        words.map(|w| quote(&w.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }

    /// Runs it. Errors: it cannot be started (environment); it fails, is killed or takes too long (tool), with the end
    /// of its standard error and the command line.
    pub fn run(self) -> Result<Finished> {
        let finished = self.run_unchecked()?;
        if finished.ending.is_success() { Ok(finished) } else { Err(self.failure(&finished)) }
    }

    /// Runs the child like [`Call::run`], but returns any ending. Fails if the child cannot be started.
    pub fn run_unchecked(&self) -> Result<Finished> {
        let running = start(self.command(), self.stdin.is_some(), &self.limits).map_err(|e| self.cannot_run(&e))?;
        let outcome = running.supervise(self.stdin.as_deref().unwrap_or_default(), &self.limits);
        Ok(outcome.map_err(|e| self.cannot_run(&e))?.into())
    }

    /// Starts it; what it reads is given later. Errors: it cannot be started.
    pub fn begin(self) -> Result<Begun> {
        let running = start(self.command(), true, &self.limits).map_err(|e| self.cannot_run(&e))?;
        Ok(Begun { path: self.tool.path().to_owned(), limits: self.limits, running })
    }

    fn cannot_run(&self, error: &std::io::Error) -> Error {
        cannot_run(self.tool.path(), error)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.tool.path());
        command.args(&self.args);
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        if let Some(slots) = &self.slots {
            slots.lend(&mut command);
        }
        command
    }

    /// Makes the error for a child that failed.
    pub fn failure(&self, finished: &Finished) -> Error {
        let error = Error::tool(format!("`{}` {}", self.tool.name(), finished.ending.words())).code("tool-failed");
        let said = finished.stderr.lines(TAIL);
        let error =
            if said.is_empty() { error.note("it printed nothing") } else { error.note(format!("it printed:\n{said}")) };
        let error = match finished.ending.explanation() {
            Some(why) => error.note(why),
            None => error,
        };
        error.note(format!("the command was: {}", self.line()))
    }
}

impl From<Outcome> for Finished {
    fn from(outcome: Outcome) -> Self {
        let Outcome { ending, stdout, stderr, left_behind, left } = outcome;
        Self { ending, stdout, stderr, left_behind, ended: left.ended, staying: left.staying }
    }
}

/// A child that was started before it is known what it reads. It ends when this is dropped.
#[derive(Debug)]
pub struct Begun {
    path: PathBuf,
    limits: Limits,
    running: Running,
}

impl Begun {
    /// Writes the child's input, and waits for its end, whatever its status. Fails if its output cannot be read.
    pub fn finish(self, stdin: &[u8]) -> Result<Finished> {
        let outcome = self.running.supervise(stdin, &self.limits);
        Ok(outcome.map_err(|e| cannot_run(&self.path, &e))?.into())
    }
}

fn cannot_run(path: &Path, error: &std::io::Error) -> Error {
    let failed = Error::system(&format!("cannot run `{}`", path.display()), error);
    // Of `fork`.
    if error.kind() == std::io::ErrorKind::WouldBlock { failed.hint(crate::MORE_PROCESSES) } else { failed }
}
