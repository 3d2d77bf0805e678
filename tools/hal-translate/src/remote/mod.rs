//! Translates executables on other machines, through a launcher or a server ([`halyard_exec::launch`]).
//!
//! A job holds everything that a translation reads: the executables as bytecode, the target, the options, and the hashes of
//! plugins of MLIR, which must be at the same paths there. Only results without any message are taken from elsewhere: what
//! fails, warns or crashes there is done here once more, so messages, reproducers and exit codes do not depend on the launcher.

mod args;
mod program;
mod serve;
mod wire;

pub use args::LauncherArgs;
pub(crate) use serve::serve;

use crate::{
    Translation,
    job::{Done, Job},
    llvm::Code,
    target::Target,
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_exec::{LaunchAttempt, Launched, Launcher, Refusal, launch};
use halyard_ir::Session;
use serde_json::{Value, json};

/// What other machines translated.
#[derive(Debug, Default)]
pub(crate) struct Remote {
    /// For each job its result, and the machine that it is from; `None` if it is to be translated here.
    pub(crate) done: Vec<Option<(Vec<Done>, String)>>,
    /// Jobs that were sent.
    pub(crate) sent: Vec<SentJob>,
    /// That executables were lost.
    pub(crate) warning: Option<Diagnostic>,
}

/// One job that was sent to a launcher, for reports.
#[derive(Debug, Clone)]
pub(crate) struct SentJob {
    executables: Vec<String>,
    attempt: LaunchAttempt,
}

impl SentJob {
    /// Returns it as `--time-json` has it; times in seconds.
    pub(crate) fn json(&self) -> Value {
        let a = &self.attempt;
        json!({
            "executables": self.executables, "host": a.host, "try": a.earlier + 1, "paused": a.paused.as_secs_f64(),
            "wall": a.wall.as_secs_f64(), "work": a.work.as_secs_f64(), "lost": a.lost,
        })
    }
}

/// Sends jobs to the launcher. Errors: something that cannot be sent was asked for; workers of another build; no job ever came
/// back.
pub(crate) fn run(
    session: &Session,
    jobs: &[Job],
    targets: &[Target],
    translation: &Translation,
    code: Code,
) -> Result<Remote> {
    let mut remote = Remote { done: vec![None; jobs.len()], ..Remote::default() };
    let Some(launcher) = &translation.launcher else { return Ok(remote) };
    if let Some(file) = targets.iter().find_map(|t| translation.pipelines.of(t).replacement()) {
        return Err(Error::usage(format!("`--launcher` does not send pipelines of your own: `{file}`"))
            .note("it may name further files, which other machines may not have")
            .hint("leave `--launcher` or `--pipeline` out"));
    }
    // The code of a variant is a part of its executable: it is translated here.
    let sent: Vec<usize> = (0..jobs.len()).filter(|&i| jobs[i].members[0].variant.is_none()).collect();
    let items: Vec<Vec<u8>> = sent.iter().map(|&i| wire::item(&jobs[i])).collect();
    if items.is_empty() {
        return Ok(remote);
    }
    let common = wire::Common::new(session, targets, translation, code).bytes();
    let launched = launch(launcher, &wire::build(), &common, &items)?;
    if let Some(why) = &launched.refused {
        return Err(refused(launcher, why));
    }
    let names = |a: &LaunchAttempt| sent[a.first..a.first + a.items].iter().map(|&i| jobs[i].members[0].name.clone());
    remote.sent =
        launched.attempts.iter().map(|a| SentJob { executables: names(a).collect(), attempt: a.clone() }).collect();
    if launched.gave_up {
        return Err(never_worked(launcher, &launched));
    }
    let lost = launched.items.iter().filter(|item| item.is_none()).count();
    remote.warning = (lost > 0).then(|| warning(launcher, lost, &launched));
    for (i, item) in sent.into_iter().zip(launched.items) {
        remote.done[i] = item.and_then(|item| Some((wire::result(&item.reply, &jobs[i])?, item.host)));
    }
    Ok(remote)
}

fn refused(launcher: &Launcher, refusal: &Refusal) -> Error {
    let (command, line) = (launcher.command.join(" "), &launcher.line);
    let error = match (refusal, &launcher.server) {
        (Refusal::Server(why), _) => Error::environment(format!("the server `{line}` executes nothing: {why}"))
            .hint("`hal-cache probe URL` tests a server; without `--launcher` all is translated here"),
        (Refusal::Worker(why), None) => {
            Error::environment(format!("`{command}`, started by `{line}`, refuses to work: {why}"))
                .note(format!("this is {}, build {}", wire::version(), wire::build()))
                .hint("install the same build on all machines; if its path differs there, set `--launcher-tool=PATH`")
        }
        (Refusal::Worker(why), Some(server)) => {
            let error = Error::environment(format!("`{command}`, executed by `{line}`, refuses to work: {why}"))
                .note(format!("this is {}, build {}", wire::version(), wire::build()));
            if server.files.is_empty() {
                error.hint(
                    "install the same build on the workers, or leave out `--launcher-tool`: this build is sent then",
                )
            } else {
                error.hint("workers have only what is sent to them and what is installed there")
            }
        }
    };
    error.code("launcher-refused")
}

/// Why the first job was lost that was sent the `tries`-th time: later ones may have been called off.
fn loss(launched: &Launched, tries: u32) -> String {
    launched.attempts.iter().filter(|a| a.earlier + 1 >= tries).find_map(|a| a.lost.clone()).unwrap_or_default()
}

fn never_worked(launcher: &Launcher, launched: &Launched) -> Error {
    let count = launched.attempts.len();
    let times = if count == 1 { "one job" } else { &format!("{count} jobs") };
    let error = Error::tool(format!("no job came back from `{}`: {times} were sent", launcher.line))
        .code("launcher-failed")
        .note(format!("of the first one, {}", loss(launched, 1)));
    let command = launcher.command.join(" ");
    if launcher.server.is_some() {
        return error.note(format!("the command was: {command}")).hint(
            "`hal-cache probe URL` tests a server; `--launcher-property=NAME=VALUE` says which workers it is for",
        );
    }
    error
        .note(format!("the command was: {} {command}", launcher.line))
        .hint("run the command with `cat` after it by hand: it must print its input")
}

fn warning(launcher: &Launcher, lost: usize, launched: &Launched) -> Diagnostic {
    let what = if lost == 1 { "1 executable was".to_owned() } else { format!("{lost} executables were") };
    Diagnostic::warning(format!(
        "{what} lost by `{}`, each {} times, and translated here",
        launcher.line, launcher.tries
    ))
    .code("launcher-lost")
    .note(format!("the last time, {}", loss(launched, launcher.tries)))
}
