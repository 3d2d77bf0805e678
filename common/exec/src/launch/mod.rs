//! Sends self-contained jobs through a launcher: a command that runs another one elsewhere and forwards its standard
//! streams, such as `srun -Q -n1`, `ssh HOST`, `kubectl run -i` or `env`; or a server that executes commands ([`server`]).
//!
//! Nothing is believed but the reply itself, which carries its length, a hash and an end mark ([`wire`]): launchers print
//! banners, cut output short, and exit with 0 for work that was lost. A job whose reply does not arrive is sent again, a
//! few times, with pauses that grow ([`queue`]); what is lost each time is left to the caller.

mod queue;
mod serve;
mod server;
mod wire;

pub use serve::{LaunchedWork, serve_launched};
pub use server::{ExecutionServer, ExecutorFile, ExecutorReply, ExecutorRequest, ExecutorSetup};

use crate::{Call, Cancel, Tool};
use halyard_diag::Result;
use queue::{Next, Queue};
use server::{Executed, Executor};
use std::{
    num::NonZeroUsize,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Lines of what a launcher printed that a message shows.
const SHOWN: usize = 8;

/// How jobs are sent.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The command in front of the one to run, for a shell: `srun -Q -n1`; or the URL of a server that runs it.
    pub line: String,
    /// What the server is told, where `line` is a URL.
    pub server: Option<ExecutionServer>,
    /// The command that does the work there, with [`serve_launched`].
    pub command: Vec<String>,
    /// The most jobs at once.
    pub jobs: NonZeroUsize,
    /// The time limit of one job, with the time that it waits for a place to run.
    pub time: Duration,
    /// How often a job is sent before it counts as lost.
    pub tries: u32,
    /// The pause before a job is sent again; it grows sixfold each time.
    pub pause: Duration,
    /// A job that runs longer than this, and much longer than it should, is also sent to another place when nothing else is
    /// left to do.
    pub straggler: Duration,
    /// The processors of this machine, which starts the jobs.
    pub cores: NonZeroUsize,
}

impl Launcher {
    /// Sends at most `jobs` at once, with a limit on the time of each.
    pub fn new(line: &str, command: Vec<String>, jobs: NonZeroUsize, time: Duration) -> Self {
        Self {
            line: line.to_owned(),
            server: None,
            command,
            jobs,
            time,
            tries: 4,
            pause: Duration::from_millis(100),
            straggler: Duration::from_secs(3),
            cores: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        }
    }
}

/// What was sent, and what came back.
#[derive(Debug, Default)]
pub struct Launched {
    /// The reply for each item; `None` if it was lost.
    pub items: Vec<Option<LaunchedItem>>,
    /// Every job that was sent, in the order in which they ended.
    pub attempts: Vec<LaunchAttempt>,
    /// Somebody refused to work: nothing else was sent then.
    pub refused: Option<Refusal>,
    /// No job ever succeeded, and sending was given up.
    pub gave_up: bool,
}

/// Who refuses to work, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The worker on another machine.
    Worker(String),
    /// The server that should run it.
    Server(String),
}

impl Refusal {
    /// The reason.
    pub fn why(&self) -> &str {
        let (Self::Worker(why) | Self::Server(why)) = self;
        why
    }
}

/// The reply for one item.
#[derive(Debug, Clone)]
pub struct LaunchedItem {
    /// What the worker answered.
    pub reply: Vec<u8>,
    /// The machine where it worked: what the server calls it, or the worker itself.
    pub host: String,
}

/// One job that was sent.
#[derive(Debug, Clone)]
pub struct LaunchAttempt {
    /// The number of items in it.
    pub items: usize,
    /// The items' first index.
    pub first: usize,
    /// How often these had been sent before.
    pub earlier: u32,
    /// The machine where it ran, as [`LaunchedItem`] has it; `None` if no reply arrived.
    pub host: Option<String>,
    /// The time from its start to its end here.
    pub wall: Duration,
    /// The time that the worker needed, by its own account.
    pub work: Duration,
    /// The pause before it was sent.
    pub paused: Duration,
    /// Why its reply cannot be used.
    pub lost: Option<String>,
}

/// Sends items, in batches of at least 100 ms of work. `common` is what all items share; `build` names the programs that may
/// answer. The replies do not depend on how items are grouped. Errors: no shell; no program that talks to servers.
pub fn launch(launcher: &Launcher, build: &str, common: &[u8], items: &[Vec<u8>]) -> Result<Launched> {
    let way = match &launcher.server {
        None => Way::Command(Tool::shell(&format!("{} \"$@\"", launcher.line))?),
        Some(server) => Way::Server(Executor::new(launcher, server)?),
    };
    let queue = Mutex::new(Queue::new(items.len(), launcher));
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        let work = || send_all(launcher, &way, &Sent { build, common, items }, &queue, &changed);
        let thread = || std::thread::Builder::new().name("launcher".into()).stack_size(512 << 10);
        let jobs = launcher.jobs.get().min(items.len());
        // Where the system gives fewer threads it takes longer.
        if (0..jobs).take_while(|_| thread().spawn_scoped(scope, work).is_ok()).count() == 0 {
            work();
        }
    });
    Ok(queue.into_inner().unwrap_or_else(PoisonError::into_inner).finish())
}

/// How jobs get to other machines.
enum Way {
    Command(Tool),
    Server(Executor),
}

/// What jobs are made of.
struct Sent<'a> {
    build: &'a str,
    common: &'a [u8],
    items: &'a [Vec<u8>],
}

/// Sends jobs one after another until nothing is left.
fn send_all(launcher: &Launcher, way: &Way, sent: &Sent<'_>, queue: &Mutex<Queue>, changed: &Condvar) {
    let lock = || -> MutexGuard<'_, Queue> { queue.lock().unwrap_or_else(PoisonError::into_inner) };
    let mut state = lock();
    loop {
        match state.next(Instant::now()) {
            Next::Over => {
                changed.notify_all();
                return;
            }
            // Whoever ends a job asks for the next one: nobody needs to be woken for it.
            Next::Wait(time) => {
                state = changed.wait_timeout(state, time).map_or_else(|e| e.into_inner().0, |(state, _)| state);
            }
            Next::Send(job) => {
                drop(state);
                let items: Vec<&[u8]> = sent.items[job.items.clone()].iter().map(Vec::as_slice).collect();
                let answer = send(launcher, way, sent, &items, &job.cancel);
                state = lock();
                state.ended(&job, answer, Instant::now());
            }
        }
    }
}

/// The fate of one job.
pub(crate) enum Answer {
    Done { host: String, work: Duration, replies: Vec<Vec<u8>> },
    Refused(Refusal),
    Lost(String),
}

fn send(launcher: &Launcher, way: &Way, sent: &Sent<'_>, items: &[&[u8]], cancel: &Cancel) -> Answer {
    let request = wire::Request::new(sent.build, sent.common, items);
    let came = match way {
        Way::Command(tool) => through_command(launcher, tool, &request, cancel),
        Way::Server(executor) => through_server(executor, &request, cancel),
    };
    let came = match came {
        Ok(came) => came,
        Err(answer) => return answer,
    };
    let why = match request.answer(&came.output) {
        Ok(wire::Reply { refused: true, body, .. }) => {
            return Answer::Refused(Refusal::Worker(String::from_utf8_lossy(&body).into_owned()));
        }
        Ok(wire::Reply { host, work, body, .. }) => match postcard::from_bytes::<Vec<Vec<u8>>>(&body) {
            Ok(replies) if replies.len() == items.len() => {
                return Answer::Done { host: came.machine.unwrap_or(host), work, replies };
            }
            _ => "the reply has another number of parts".to_owned(),
        },
        Err(why) => why.to_owned(),
    };
    Answer::Lost(format!("{why}{}", came.ending))
}

/// What came back for a job.
struct Came {
    output: Vec<u8>,
    /// What the server calls the machine.
    machine: Option<String>,
    /// The rest of a sentence that says what is wrong with the output.
    ending: String,
}

fn through_command(
    launcher: &Launcher,
    tool: &Tool,
    request: &wire::Request,
    cancel: &Cancel,
) -> std::result::Result<Came, Answer> {
    let words = std::iter::once("launcher").chain(launcher.command.iter().map(String::as_str));
    let call: Call<'_> = tool.call(words).stdin(request.bytes()).limit(launcher.time).cancel(cancel);
    // Without slots of ours: what runs there is not our machine's business.
    let call = call.without_env("MAKEFLAGS").without_env("CARGO_MAKEFLAGS");
    let finished = call.run_unchecked().map_err(|error| Answer::Lost(error.to_string()))?;
    let said = finished.stderr.lines(SHOWN);
    let said = if said.is_empty() { String::new() } else { format!("; it printed:\n{said}") };
    let ending = format!(", and the command {}{said}", finished.ending.words());
    Ok(Came { output: finished.stdout, machine: None, ending })
}

fn through_server(executor: &Executor, request: &wire::Request, cancel: &Cancel) -> std::result::Result<Came, Answer> {
    match executor.run(request.bytes(), cancel) {
        Executed::Done(output, machine) => Ok(Came { output, machine, ending: String::new() }),
        Executed::Lost(why) => Err(Answer::Lost(why)),
        Executed::Refused(why) => Err(Answer::Refused(Refusal::Server(why))),
    }
}

#[cfg(test)]
mod tests;
