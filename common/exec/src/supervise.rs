//! One child from start to end: fed, listened to, ended in time, with nothing left of it.
//!
//! One thread does it with `poll`: no stream can block another one, and neither a child that closes its ends early nor
//! a grandchild that keeps them open can block us.
use crate::{
    Cancel, Ending, Tail,
    cleanup::{Group, Mark},
};
use std::{
    io::{self, ErrorKind, Read, Write},
    os::fd::{AsRawFd, RawFd},
    os::unix::process::CommandExt,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// How long a child may take to end after SIGTERM before SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long processes that a child left behind may go on writing.
const DRAIN: Duration = Duration::from_secs(1);
/// How often deadlines, cancellation and the end of the child are looked at.
const TICK: Duration = Duration::from_millis(20);

/// What a child may use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Limits {
    pub(crate) time: Option<Duration>,
    /// Bytes of address space, for each process.
    pub(crate) memory: Option<u64>,
    /// Bytes of standard output.
    pub(crate) output: u64,
    pub(crate) cancel: Option<Cancel>,
}

/// What came of a child.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) ending: Ending,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Tail,
    pub(crate) left_behind: bool,
}

/// Runs a command to its end. Errors: it cannot be started.
pub(crate) fn supervise(
    mut command: Command,
    stdin: Option<&[u8]>,
    limits: &Limits,
    mark: &Mark,
) -> io::Result<Outcome> {
    command.stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    confine(&mut command, limits.memory);
    let (child, group) = Group::spawn(&mut command)?;
    let streams = Streams::of(child, stdin.unwrap_or_default(), limits.output)?;
    Ok(Supervision { streams, group, mark, limits, started: Instant::now() }.run())
}

/// Caps memory, and lets the child die with us should we be killed outright.
pub(crate) fn confine(command: &mut Command, memory: Option<u64>) {
    let confine = move || {
        if let Some(bytes) = memory {
            let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
            // SAFETY: a system call on a structure that lives through it.
            if unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        #[cfg(target_os = "linux")]
        // SAFETY: a system call on numbers.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        Ok(())
    };
    // SAFETY: between fork and exec it calls nothing but async-signal-safe system calls.
    unsafe { command.pre_exec(confine) };
}

/// The child and our ends of its pipes; `None` when closed.
struct Streams<'a> {
    child: Child,
    stdin: Option<ChildStdin>,
    unsent: &'a [u8],
    stdout: Option<ChildStdout>,
    said: Vec<u8>,
    most: u64,
    stderr: Option<ChildStderr>,
    complained: Tail,
}

impl<'a> Streams<'a> {
    fn of(mut child: Child, unsent: &'a [u8], most: u64) -> io::Result<Self> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        for fd in [
            stdin.as_ref().map(AsRawFd::as_raw_fd),
            stdout.as_ref().map(AsRawFd::as_raw_fd),
            stderr.as_ref().map(AsRawFd::as_raw_fd),
        ] {
            fd.map_or(Ok(()), never_block)?;
        }
        Ok(Self { child, stdin, unsent, stdout, said: Vec::new(), most, stderr, complained: Tail::default() })
    }

    fn all_said(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    fn all_closed(&self) -> bool {
        self.all_said() && self.stdin.is_none()
    }

    fn too_much(&self) -> bool {
        self.said.len() as u64 > self.most
    }

    /// Moves what can be moved, waiting at most `wait` for something to move.
    fn transfer(&mut self, wait: Duration) {
        if self.unsent.is_empty() {
            self.stdin = None;
        }
        let watch = |fd: Option<RawFd>, events| libc::pollfd { fd: fd.unwrap_or(-1), events, revents: 0 };
        let mut watched = [
            watch(self.stdin.as_ref().map(AsRawFd::as_raw_fd), libc::POLLOUT),
            watch(self.stdout.as_ref().map(AsRawFd::as_raw_fd), libc::POLLIN),
            watch(self.stderr.as_ref().map(AsRawFd::as_raw_fd), libc::POLLIN),
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

fn is_nothing(error: &io::Error) -> bool {
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

fn never_block(fd: RawFd) -> io::Result<()> {
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
    group: Group,
    mark: &'a Mark,
    limits: &'a Limits,
    started: Instant,
}

impl Supervision<'_> {
    fn run(mut self) -> Outcome {
        // Why we end it, and when it is killed if it does not end.
        let mut ended: Option<(Ending, Instant)> = None;
        let mut gone: Option<Instant> = None;
        let mut wait = Duration::from_micros(50);
        let mut left_behind = false;
        loop {
            if self.streams.all_closed() {
                // Without pipes to wait on, look often at first: most children end right after they close them.
                std::thread::sleep(wait);
                wait = (2 * wait).min(TICK);
            } else {
                self.streams.transfer(TICK);
            }
            let now = Instant::now();
            if gone.is_none() && self.has_ended() {
                gone = Some(now);
            }
            match gone {
                Some(_) if self.streams.all_said() => break,
                Some(since) if ended.is_some() || now > since + DRAIN => {
                    left_behind = true;
                    break;
                }
                _ => {}
            }
            match ended {
                None => {
                    if let Some(why) = self.reason_to_end(now) {
                        self.group.signal(libc::SIGTERM);
                        // What is stopped does not heed it.
                        self.group.signal(libc::SIGCONT);
                        // One that writes without end is not listened to any more.
                        if matches!(why, Ending::TooMuch(_)) {
                            self.streams.stdout = None;
                        }
                        ended = Some((why, now + GRACE));
                    }
                }
                Some((_, kill_at)) if now > kill_at && gone.is_none() => self.group.signal(libc::SIGKILL),
                Some(_) => {}
            }
        }
        // Its children go with it; so do those that left its group, where there is reason to look for them.
        self.group.signal(libc::SIGKILL);
        if left_behind || ended.is_some() {
            self.mark.end_all();
        }
        let status = self.streams.child.wait();
        let ending = match (ended, status) {
            (Some((why, _)), _) => why,
            (None, Ok(status)) => Ending::of(status),
            // Someone else reaped it: there is no status to know.
            (None, Err(_)) => Ending::Signal(0),
        };
        let Streams { said, complained, .. } = self.streams;
        drop(self.group);
        Outcome { ending, stdout: said, stderr: complained.finish(), left_behind: left_behind && ended.is_none() }
    }

    fn reason_to_end(&self, now: Instant) -> Option<Ending> {
        if self.limits.cancel.as_ref().is_some_and(Cancel::is_set) {
            return Some(Ending::Cancelled);
        }
        if let Some(limit) = self.limits.time.filter(|&limit| now > self.started + limit) {
            return Some(Ending::TooSlow(limit));
        }
        if let Some(signal) = self.wants_terminal() {
            return Some(Ending::Stopped(signal));
        }
        self.streams.too_much().then_some(Ending::TooMuch(self.limits.output))
    }

    /// Whether the child was stopped because it wants the terminal: nobody would ever let it go on.
    fn wants_terminal(&self) -> Option<i32> {
        // SAFETY: the structure is plain numbers and lives through the call.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WSTOPPED | libc::WNOHANG | libc::WNOWAIT;
            let found =
                libc::waitid(libc::P_PID, self.streams.child.id(), &raw mut info, flags) == 0 && info.si_pid() != 0;
            (found && matches!(info.si_status(), libc::SIGTTIN | libc::SIGTTOU)).then(|| info.si_status())
        }
    }

    /// Whether the child has ended. It is not reaped yet: until then nobody else gets its number.
    fn has_ended(&self) -> bool {
        // SAFETY: the structure is plain numbers and lives through the call.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            libc::waitid(libc::P_PID, self.streams.child.id(), &raw mut info, flags) != 0 || info.si_pid() != 0
        }
    }
}
