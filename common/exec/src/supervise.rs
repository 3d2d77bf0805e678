//! Supervises one child from start to end: feeds it, reads its output, ends it in time, and leaves no process behind.
//!
//! One thread does this with `poll`: no stream can block another one, and neither a child that closes its ends early
//! nor a grandchild that keeps them open can block it.
use crate::{
    Cancel, ExitOutcome, Tail,
    guard::{Guarded, Left, Pipes},
};
use std::{
    io::{self, ErrorKind, Read, Write},
    os::fd::{AsRawFd, RawFd},
    process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// Time between SIGTERM and SIGKILL for a child.
const GRACE: Duration = Duration::from_secs(2);
/// Time for processes that a child left behind to finish writing.
const DRAIN: Duration = Duration::from_secs(1);
/// The interval at which deadlines, cancellation and the end of the child are checked.
const TICK: Duration = Duration::from_millis(20);

/// Limits on a child.
#[derive(Debug, Clone, Default)]
pub(crate) struct Limits {
    pub(crate) time: Option<Duration>,
    /// Bytes of address space, for each process.
    pub(crate) memory: Option<u64>,
    /// The most bytes of standard output.
    pub(crate) output: u64,
    pub(crate) cancel: Option<Cancel>,
}

/// The result of a child.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) ending: ExitOutcome,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Tail,
    /// Processes that it left behind held its streams open.
    pub(crate) left_behind: bool,
    pub(crate) left: Left,
}

/// A command that runs, and has not been listened to.
#[derive(Debug)]
pub(crate) struct Running {
    pipes: Pipes,
    guarded: Guarded,
    started: Instant,
}

/// Starts a command that reads from us, or nothing. Errors: it cannot be started.
pub(crate) fn start(mut command: Command, reads: bool, limits: &Limits) -> io::Result<Running> {
    command.stdin(if reads { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (pipes, guarded) = Guarded::spawn(command, limits.memory)?;
    Ok(Running { pipes, guarded, started: Instant::now() })
}

impl Running {
    /// Follows it to its end. Errors: its pipes cannot be used.
    pub(crate) fn supervise(self, stdin: &[u8], limits: &Limits) -> io::Result<Outcome> {
        let streams = Streams::of(self.pipes, stdin, limits.output)?;
        Ok(Supervision { streams, guarded: self.guarded, limits, started: self.started }.run())
    }
}

/// Our ends of the child's pipes; `None` when closed.
struct Streams<'a> {
    stdin: Option<ChildStdin>,
    unsent: &'a [u8],
    stdout: Option<ChildStdout>,
    said: Vec<u8>,
    most: u64,
    stderr: Option<ChildStderr>,
    complained: Tail,
}

impl<'a> Streams<'a> {
    fn of(pipes: Pipes, unsent: &'a [u8], most: u64) -> io::Result<Self> {
        let Pipes { stdin, stdout, stderr } = pipes;
        for fd in [
            stdin.as_ref().map(AsRawFd::as_raw_fd),
            stdout.as_ref().map(AsRawFd::as_raw_fd),
            stderr.as_ref().map(AsRawFd::as_raw_fd),
        ] {
            fd.map_or(Ok(()), never_block)?;
        }
        Ok(Self { stdin, unsent, stdout, said: Vec::new(), most, stderr, complained: Tail::default() })
    }

    fn all_said(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    fn too_much(&self) -> bool {
        self.said.len() as u64 > self.most
    }

    /// Moves what can be moved, waiting at most `wait` for something to move, or for news of the child.
    fn transfer(&mut self, news: RawFd, wait: Duration) {
        if self.unsent.is_empty() {
            self.stdin = None;
        }
        let watch = |fd: Option<RawFd>, events| libc::pollfd { fd: fd.unwrap_or(-1), events, revents: 0 };
        let mut watched = [
            watch(self.stdin.as_ref().map(AsRawFd::as_raw_fd), libc::POLLOUT),
            watch(self.stdout.as_ref().map(AsRawFd::as_raw_fd), libc::POLLIN),
            watch(self.stderr.as_ref().map(AsRawFd::as_raw_fd), libc::POLLIN),
            watch(Some(news).filter(|&fd| fd >= 0), libc::POLLIN),
        ];
        let wait = i32::try_from(wait.as_millis()).unwrap_or(i32::MAX).max(1);
        // SAFETY: the array lives through the call and its length is given.
        if unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, wait) } <= 0 {
            return;
        }
        if watched[0].revents != 0
            && let Some(stdin) = &mut self.stdin
        {
            match stdin.write(self.unsent) {
                Ok(count) => self.unsent = &self.unsent[count..],
                Err(e) if is_nothing(&e) => {}
                // It does not want to read it all; that is its own business.
                Err(_) => self.stdin = None,
            }
        }
        if watched[1].revents != 0 {
            let said = &mut self.said;
            drain(&mut self.stdout, &mut |bytes| said.extend_from_slice(bytes));
        }
        if watched[2].revents != 0 {
            let complained = &mut self.complained;
            drain(&mut self.stderr, &mut |bytes| complained.push(bytes));
        }
    }
}

pub(crate) fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Reads one buffer; closes the stream at its end.
fn drain<R: Read>(stream: &mut Option<R>, take: &mut dyn FnMut(&[u8])) {
    let mut buffer = [0; 1 << 16];
    match stream.as_mut().map(|s| s.read(&mut buffer)) {
        Some(Ok(count)) if count > 0 => take(&buffer[..count]),
        Some(Err(e)) if is_nothing(&e) => {}
        _ => *stream = None,
    }
}

pub(crate) fn never_block(fd: RawFd) -> io::Result<()> {
    // SAFETY: system calls on a descriptor that is open.
    unsafe {
        // More than the usual 64 KiB saves wake-ups; what the system grants is as good.
        #[cfg(target_os = "linux")]
        libc::fcntl(fd, libc::F_SETPIPE_SZ, 1 << 18);
        let flags = libc::fcntl(fd, libc::F_GETFL);
        if flags < 0 || libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

struct Supervision<'a> {
    streams: Streams<'a>,
    guarded: Guarded,
    limits: &'a Limits,
    started: Instant,
}

impl Supervision<'_> {
    fn run(mut self) -> Outcome {
        // Why we end it, and when it is killed if it does not end.
        let mut ended: Option<(ExitOutcome, Instant)> = None;
        let mut gone: Option<Instant> = None;
        let left_behind = loop {
            let news = if gone.is_none() { self.guarded.fd() } else { -1 };
            self.streams.transfer(news, TICK);
            let now = Instant::now();
            if gone.is_none() && self.guarded.status().is_some() {
                gone = Some(now);
            }
            match gone {
                Some(_) if self.streams.all_said() => break false,
                Some(since) if ended.is_some() || now > since + DRAIN => break true,
                _ => {}
            }
            match ended {
                None => {
                    if let Some(why) = self.reason_to_end(now) {
                        self.guarded.signal(libc::SIGTERM);
                        // A stopped process does not handle it.
                        self.guarded.signal(libc::SIGCONT);
                        // One that writes without end is not listened to any more.
                        if matches!(why, ExitOutcome::TooMuch(_)) {
                            self.streams.stdout = None;
                        }
                        ended = Some((why, now + GRACE));
                    }
                }
                Some((_, kill_at)) if now > kill_at && gone.is_none() => self.guarded.signal(libc::SIGKILL),
                Some(_) => {}
            }
        };
        // Its children go with it, also those that left its group.
        let (status, left) = self.guarded.end();
        let ending = ended.map_or_else(|| ExitOutcome::of(status), |(why, _)| why);
        let Streams { said, complained, .. } = self.streams;
        drop(self.guarded);
        Outcome { ending, stdout: said, stderr: complained.finish(), left_behind: left_behind && ended.is_none(), left }
    }

    fn reason_to_end(&self, now: Instant) -> Option<ExitOutcome> {
        if self.limits.cancel.as_ref().is_some_and(Cancel::is_set) {
            return Some(ExitOutcome::Cancelled);
        }
        if let Some(limit) = self.limits.time.filter(|&limit| now > self.started + limit) {
            return Some(ExitOutcome::TooSlow(limit));
        }
        // It was stopped because it wants the terminal: nothing would ever continue it.
        if let Some(signal) = self.guarded.stopped().filter(|&s| matches!(s, libc::SIGTTIN | libc::SIGTTOU)) {
            return Some(ExitOutcome::Stopped(signal));
        }
        self.streams.too_much().then_some(ExitOutcome::TooMuch(self.limits.output))
    }
}
