//! Sends jobs to an execution server, through `hal-cache execute URL`: what compiles links no clients of networks. One
//! process carries all jobs of a launch.
mod messages;

pub use messages::{ExecutorFile, ExecutorReply, ExecutorRequest, ExecutorSetup};

use super::Launcher;
use crate::{
    Cancel, ExitOutcome, Tool,
    guard::Guarded,
    supervise::{is_nothing, never_block},
};
use halyard_diag::Result;
use std::{
    collections::HashMap,
    io::{self, Write},
    os::fd::AsRawFd,
    process::{ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// The program that talks to servers.
const HELPER: &str = "hal-cache";
/// How often a job that waits looks whether it is called off.
const TICK: Duration = Duration::from_millis(100);
/// The process keeps the time of jobs; one that does not within this time hangs.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time for the process to end operations after the last job.
const GRACE: Duration = Duration::from_secs(2);

/// What a server receives besides the command.
#[derive(Debug, Clone)]
pub struct ExecutionServer {
    /// What the command needs in its folder.
    pub files: Vec<ExecutorFile>,
    /// What the machine is to have, in words of the server.
    pub properties: Vec<(String, String)>,
    /// The hashes of the files: who launches often hashes them once.
    hashes: Arc<OnceLock<Vec<String>>>,
}

impl ExecutionServer {
    /// A server that is sent these files.
    pub fn new(files: Vec<ExecutorFile>, properties: Vec<(String, String)>) -> Self {
        Self { files, properties, hashes: Arc::default() }
    }
}

/// What became of a job.
#[derive(Debug)]
pub(super) enum Executed {
    /// What the command wrote, and what the server calls the machine.
    Done(Vec<u8>, Option<String>),
    Lost(String),
    /// The server does not execute.
    Refused(String),
}

/// The process that carries jobs to a server; it is started again if it ends too early.
pub(super) struct Executor {
    tool: Tool,
    url: String,
    setup: ExecutorSetup,
    hashes: Arc<OnceLock<Vec<String>>>,
    time: Duration,
    line: Mutex<Option<Arc<Line>>>,
    numbers: AtomicU64,
}

impl Executor {
    /// Errors: the program is not there.
    pub(super) fn new(launcher: &Launcher, server: &ExecutionServer) -> Result<Self> {
        let setup = ExecutorSetup {
            properties: server.properties.clone(),
            jobs: launcher.jobs.get(),
            ..ExecutorSetup::new(launcher.command.clone(), server.files.clone(), launcher.time)
        };
        Ok(Self {
            tool: Tool::of_halyard(HELPER)?,
            url: launcher.line.clone(),
            setup,
            hashes: Arc::clone(&server.hashes),
            time: launcher.time,
            line: Mutex::new(None),
            numbers: AtomicU64::new(1),
        })
    }

    /// Executes a job, and waits for it.
    pub(super) fn run(&self, job: &[u8], cancel: &Cancel) -> Executed {
        let line = match self.line() {
            Ok(line) => line,
            Err(e) => return Executed::Lost(format!("`{HELPER}` cannot be started: {e}")),
        };
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let answer = line.expect(number);
        // That it has ended, or why it refuses, is heard in either case.
        line.send(&ExecutorRequest::Job(number, job.to_vec()).bytes());
        let done = self.wait(&line, number, &answer, cancel);
        line.forget(number);
        done.unwrap_or_else(|| Executed::Lost(self.gone(&line)))
    }

    /// The answer to a job; `None`: the process has ended.
    fn wait(&self, line: &Line, number: u64, answer: &Receiver<Executed>, cancel: &Cancel) -> Option<Executed> {
        let deadline = Instant::now() + self.time + PATIENCE;
        loop {
            match answer.recv_timeout(TICK) {
                Ok(executed) => return Some(executed),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if cancel.is_set() {
                line.send(&ExecutorRequest::Cancel(number).bytes());
                return Some(Executed::Lost("it was called off".into()));
            }
            if Instant::now() > deadline {
                lock(&line.process).signal(libc::SIGKILL);
                return None;
            }
        }
    }

    /// The process; it is started if there is none.
    fn line(&self) -> io::Result<Arc<Line>> {
        let mut line = lock(&self.line);
        if let Some(line) = line.as_ref().filter(|line| !lock(&line.expected).gone) {
            return Ok(Arc::clone(line));
        }
        let started = Arc::new(Line::start(&self.tool, &self.url, &self.hashes)?);
        let setup = ExecutorSetup { hashes: self.hashes.get().cloned(), ..self.setup.clone() };
        // Before any job. That it has ended is found out by the jobs.
        started.send(&setup.bytes());
        *line = Some(Arc::clone(&started));
        Ok(started)
    }

    /// Forgets a process that has ended; how it did.
    fn gone(&self, line: &Arc<Line>) -> String {
        let mut current = lock(&self.line);
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, line)) {
            *current = None;
        }
        let mut process = lock(&line.process);
        process.wait(GRACE);
        let ending = process.status().map_or(ExitOutcome::Signal(libc::SIGKILL), ExitOutcome::of);
        format!("`{HELPER} execute` {}", ending.words())
    }
}

/// A running process.
struct Line {
    stdin: Mutex<Option<ChildStdin>>,
    expected: Arc<Mutex<Expected>>,
    process: Mutex<Guarded>,
    reader: Mutex<Option<JoinHandle<()>>>,
}

/// The jobs that wait for an answer.
#[derive(Default)]
struct Expected {
    jobs: HashMap<u64, Sender<Executed>>,
    /// The server refuses all jobs, for this reason.
    refused: Option<String>,
    /// No answer will come any more.
    gone: bool,
}

impl Line {
    fn start(tool: &Tool, url: &str, hashes: &Arc<OnceLock<Vec<String>>>) -> io::Result<Self> {
        let mut command = Command::new(tool.path());
        // Without the cache of this machine: it has no use for one.
        command.args(["execute", url, "--cache=off"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let (pipes, process) = Guarded::spawn(command, None)?;
        pipes.stdin.as_ref().map_or(Ok(()), |s| never_block(s.as_raw_fd()))?;
        let expected = Arc::new(Mutex::new(Expected::default()));
        let (heard, hashes) = (Arc::clone(&expected), Arc::clone(hashes));
        let stdout = pipes.stdout.expect("it is piped");
        let thread = std::thread::Builder::new().name("executor".into());
        let reader = thread.spawn(move || listen(stdout, &heard, &hashes))?;
        let reader = Mutex::new(Some(reader));
        Ok(Self { stdin: Mutex::new(pipes.stdin), expected, process: Mutex::new(process), reader })
    }

    /// Says that a job waits for an answer.
    fn expect(&self, number: u64) -> Receiver<Executed> {
        let (sender, receiver) = channel();
        let mut expected = lock(&self.expected);
        match &expected.refused {
            Some(why) => drop(sender.send(Executed::Refused(why.clone()))),
            None if expected.gone => {}
            None => drop(expected.jobs.insert(number, sender)),
        }
        receiver
    }

    fn forget(&self, number: u64) {
        lock(&self.expected).jobs.remove(&number);
    }

    /// Sends a whole message; whether that was possible. A process that does not read for long is ended.
    fn send(&self, mut bytes: &[u8]) -> bool {
        let mut stdin = lock(&self.stdin);
        let Some(pipe) = stdin.as_mut() else { return false };
        let mut deadline = Instant::now() + PATIENCE;
        while !bytes.is_empty() {
            match pipe.write(bytes) {
                Ok(count) => {
                    bytes = &bytes[count..];
                    deadline = Instant::now() + PATIENCE;
                }
                Err(e) if is_nothing(&e) && Instant::now() < deadline => {
                    let mut watched = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
                    // SAFETY: the structure lives through the call.
                    unsafe { libc::poll(&raw mut watched, 1, 100) };
                }
                Err(e) => {
                    *stdin = None;
                    if is_nothing(&e) {
                        lock(&self.process).signal(libc::SIGKILL);
                    }
                    return false;
                }
            }
        }
        true
    }
}

impl Drop for Line {
    /// Its input ends: it calls off what still runs, and ends.
    fn drop(&mut self) {
        *lock(&self.stdin) = None;
        let mut process = lock(&self.process);
        process.wait(GRACE);
        process.end();
        drop(process);
        if let Some(reader) = lock(&self.reader).take() {
            let _ = reader.join();
        }
    }
}

/// Hands answers to those who wait, until the process ends.
fn listen(mut stdout: ChildStdout, expected: &Mutex<Expected>, hashes: &OnceLock<Vec<String>>) {
    while let Ok(Some(reply)) = ExecutorReply::read(&mut stdout) {
        let mut expected = lock(expected);
        match reply {
            ExecutorReply::Done(number, reply, worker) => {
                expected.jobs.remove(&number).map(|job| job.send(Executed::Done(reply, worker)));
            }
            ExecutorReply::Lost(number, why) => {
                expected.jobs.remove(&number).map(|job| job.send(Executed::Lost(why)));
            }
            ExecutorReply::Refused(why) => {
                expected.jobs.drain().for_each(|(_, job)| drop(job.send(Executed::Refused(why.clone()))));
                expected.refused = Some(why);
            }
            ExecutorReply::Hashed(found) => drop(hashes.set(found)),
        }
    }
    let mut expected = lock(expected);
    expected.gone = true;
    expected.jobs.clear();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
