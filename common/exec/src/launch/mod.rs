//! Sends self-contained jobs through a launcher: a command that runs another one elsewhere and forwards its standard
//! streams, such as `srun -Q -n1`, `ssh HOST`, `kubectl run -i` or `env`.
//!
//! Nothing is believed but the reply itself, which carries its length, a hash and an end mark ([`wire`]): launchers print
//! banners, cut output short, and exit with 0 for work that was lost. A job whose reply does not arrive is sent again, a
//! few times, with pauses that grow ([`queue`]); what is lost each time is left to the caller.

mod queue;
mod serve;
mod wire;

pub use serve::{LaunchedWork, serve_launched};

use crate::{Call, Cancel, Tool};
use halyard_diag::Result;
use queue::{Next, Queue};
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
    /// The command in front of the one to run, for a shell: `srun -Q -n1`.
    pub line: String,
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
    /// A worker refused to work, for this reason: nothing else was sent then.
    pub refused: Option<String>,
    /// No job ever succeeded, and sending was given up.
    pub gave_up: bool,
}

/// The reply for one item.
#[derive(Debug, Clone)]
pub struct LaunchedItem {
    /// What the worker answered.
    pub reply: Vec<u8>,
    /// The machine where it worked, by its own account.
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
    /// The machine where it ran; `None` if no reply arrived.
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
/// answer. The replies do not depend on how items are grouped. Errors: no shell.
pub fn launch(launcher: &Launcher, build: &str, common: &[u8], items: &[Vec<u8>]) -> Result<Launched> {
    let tool = Tool::shell(&format!("{} \"$@\"", launcher.line))?;
    let queue = Mutex::new(Queue::new(items.len(), launcher));
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        let work = || send_all(launcher, &tool, &Sent { build, common, items }, &queue, &changed);
        let thread = || std::thread::Builder::new().name("launcher".into()).stack_size(512 << 10);
        let jobs = launcher.jobs.get().min(items.len());
        // Where the system gives fewer threads it takes longer.
        if (0..jobs).take_while(|_| thread().spawn_scoped(scope, work).is_ok()).count() == 0 {
            work();
        }
    });
    Ok(queue.into_inner().unwrap_or_else(PoisonError::into_inner).finish())
}

/// What jobs are made of.
struct Sent<'a> {
    build: &'a str,
    common: &'a [u8],
    items: &'a [Vec<u8>],
}

/// Sends jobs one after another until nothing is left.
fn send_all(launcher: &Launcher, tool: &Tool, sent: &Sent<'_>, queue: &Mutex<Queue>, changed: &Condvar) {
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
                let answer = send(launcher, tool, sent, &items, &job.cancel);
                state = lock();
                state.ended(&job, answer, Instant::now());
            }
        }
    }
}

/// The fate of one job.
pub(crate) enum Answer {
    Done { host: String, work: Duration, replies: Vec<Vec<u8>> },
    Refused(String),
    Lost(String),
}

fn send(launcher: &Launcher, tool: &Tool, sent: &Sent<'_>, items: &[&[u8]], cancel: &Cancel) -> Answer {
    let request = wire::Request::new(sent.build, sent.common, items);
    let words = std::iter::once("launcher").chain(launcher.command.iter().map(String::as_str));
    let call: Call<'_> = tool.call(words).stdin(request.bytes()).limit(launcher.time).cancel(cancel);
    // Without slots of ours: what runs there is not our machine's business.
    let call = call.without_env("MAKEFLAGS").without_env("CARGO_MAKEFLAGS");
    let finished = match call.run_unchecked() {
        Ok(finished) => finished,
        Err(error) => return Answer::Lost(error.to_string()),
    };
    let why = match request.answer(&finished.stdout) {
        Ok(wire::Reply { refused: true, body, .. }) => {
            return Answer::Refused(String::from_utf8_lossy(&body).into_owned());
        }
        Ok(wire::Reply { host, work, body, .. }) => match postcard::from_bytes::<Vec<Vec<u8>>>(&body) {
            Ok(replies) if replies.len() == items.len() => return Answer::Done { host, work, replies },
            _ => "the reply has another number of parts".to_owned(),
        },
        Err(why) => why.to_owned(),
    };
    let said = finished.stderr.lines(SHOWN);
    let said = if said.is_empty() { String::new() } else { format!("; it printed:\n{said}") };
    Answer::Lost(format!("{why}, and the command {}{said}", finished.ending.words()))
}

#[cfg(test)]
mod tests;
