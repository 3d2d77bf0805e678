//! A guardian for each command: a process between us and the command, from which none of its descendants escapes.
//!
//! The guardian is a fork of this process. It starts the command, adopts descendants that lose their parent
//! (`PR_SET_CHILD_SUBREAPER`), and kills all of them when this process asks for it or ends, for whatever reason: the
//! system then closes our end of a socket. A daemon may leave its group and its session and clear its environment; the
//! guardian remains its ancestor.
//!
//! Limits of the system: a guardian cannot kill processes that run as another user (`sudo`), nor those that another
//! service starts for the command (`systemd-run`, `at`, `docker`), which are not its descendants. A command that kills
//! its guardian is killed with it, and its remaining descendants are adopted by this process; see [`orphans`].
//!
//! The fork costs as much as starting the command without a guardian: the command shares the guardian's memory until
//! it runs the program, as with `posix_spawn`.

mod children;
mod inside;
mod orphans;

use crate::cleanup;
use inside::{Ready, Start};
use std::{
    ffi::{CString, OsStr, OsString},
    io,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
        unix::{
            ffi::OsStrExt,
            process::{CommandExt, ExitStatusExt},
        },
    },
    process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus},
    time::{Duration, Instant},
};

/// A message from a guardian: one of the words below and two numbers.
type Note = [i32; 3];
/// The command runs; its process and group.
const STARTED: i32 = 1;
/// The command was stopped; the number is the signal.
const STOPPED: i32 = 2;
/// The command ended; the number is its status.
const EXITED: i32 = 3;
/// No process of the command is left; the numbers are how many were killed, and how many could not be.
const DONE: i32 = 4;

/// A command under its guardian. All of it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Guarded {
    control: OwnedFd,
    guardian: i32,
    /// The command's first process, and the group that it leads.
    group: i32,
    status: Option<ExitStatus>,
    stopped: Option<i32>,
    left: Left,
    /// The guardian is done or has ended.
    over: bool,
    /// The guardian ended without reporting that it is done.
    lost: bool,
    /// The process that started the guardian: a fork of that process must not touch it.
    owner: u32,
}

/// The processes that a command left behind when it was ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// The number of processes that were killed.
    pub(crate) ended: usize,
    /// Processes that could not be killed.
    pub(crate) staying: usize,
}

/// This process's ends of a command's pipes.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Guarded {
    /// Starts a command whose streams are set; `memory` is what each of its processes may have. Errors: it cannot be started.
    pub(crate) fn spawn(mut command: Command, memory: Option<u64>) -> io::Result<(Pipes, Self)> {
        let (control, theirs) = sockets()?;
        let ready = Ready::new(Start {
            program: text(command.get_program())?,
            words: std::iter::once(command.get_program())
                .chain(command.get_args())
                .map(text)
                .collect::<io::Result<_>>()?,
            environment: environment(&command)?,
            memory,
            control: theirs.as_raw_fd(),
        });
        // SAFETY: the fork only calls what a fork of a process with threads may call, see `inside`.
        unsafe { command.pre_exec(move || Err(ready.guard())) };
        command.process_group(0);
        cleanup::list(|| {
            let mut child = command.spawn()?;
            let pipes = Pipes { stdin: child.stdin.take(), stdout: child.stdout.take(), stderr: child.stderr.take() };
            let guardian = child.id().cast_signed();
            drop(theirs);
            let (status, stopped, left, owner) = (None, None, Left::default(), std::process::id());
            let mut guarded =
                Self { control, guardian, group: 0, status, stopped, left, over: false, lost: false, owner };
            // It was said before the start was over.
            guarded.hear(0);
            if guarded.group == 0 {
                // No process is left to be ended.
                guarded.owner = 0;
                return Err(io::Error::other("its guardian was killed"));
            }
            Ok((guardian, (guarded.group, guarded.control.as_raw_fd()), (pipes, guarded)))
        })
    }

    /// Returns the descriptor that becomes readable when [`hear`](Self::hear) has something to read.
    pub(crate) fn fd(&self) -> RawFd {
        self.control.as_raw_fd()
    }

    /// Sends a signal to the command's group; those that are gone do not matter.
    pub(crate) fn signal(&self, signal: i32) {
        if !self.over {
            // SAFETY: a system call on integers. The guardian keeps the group's number until it is asked to end.
            unsafe { libc::kill(-self.group, signal) };
        }
    }

    /// Returns the exit status of the command; `None` while it runs.
    pub(crate) fn status(&mut self) -> Option<ExitStatus> {
        self.hear(0);
        self.status
    }

    /// The signal that stopped the command last.
    pub(crate) fn stopped(&self) -> Option<i32> {
        self.stopped
    }

    /// Waits for the command to end, at most that long.
    pub(crate) fn wait(&mut self, most: Duration) {
        let deadline = Instant::now() + most;
        while self.status.is_none() && !self.over {
            match deadline.saturating_duration_since(Instant::now()) {
                Duration::ZERO => return,
                left => self.hear(i32::try_from(left.as_millis()).unwrap_or(i32::MAX).max(1)),
            }
        }
    }

    /// Reads messages of the guardian, after waiting this long for the first one.
    fn hear(&mut self, mut milliseconds: i32) {
        while !self.over {
            let mut watched = libc::pollfd { fd: self.fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: the structure lives through the call.
            match unsafe { libc::poll(&raw mut watched, 1, milliseconds) } {
                0 => return,
                1.. => {}
                _ => continue,
            }
            milliseconds = 0;
            let mut note: Note = [0; 3];
            // SAFETY: the array lives through the call and its length is given.
            let count =
                unsafe { libc::recv(self.fd(), note.as_mut_ptr().cast(), size_of::<Note>(), libc::MSG_DONTWAIT) };
            if count < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
                continue;
            }
            if usize::try_from(count) != Ok(size_of::<Note>()) {
                // The guardian is gone, and the command with it.
                (self.over, self.lost) = (true, true);
                self.status.get_or_insert(ExitStatus::from_raw(libc::SIGKILL));
                return;
            }
            match note {
                [STARTED, pid, _] => self.group = pid,
                [STOPPED, signal, _] => self.stopped = Some(signal),
                [EXITED, status, _] => self.status = Some(ExitStatus::from_raw(status)),
                [_, ended, staying] => {
                    self.over = true;
                    let count = |n: i32| usize::try_from(n).unwrap_or_default();
                    self.left = Left { ended: count(ended), staying: count(staying) };
                }
            }
        }
    }

    /// Ends the command and all that it started; how it ended, and what it had left behind.
    pub(crate) fn end(&mut self) -> (ExitStatus, Left) {
        if !self.over {
            // SAFETY: a system call on our descriptor.
            unsafe { libc::shutdown(self.fd(), libc::SHUT_WR) };
            while !self.over {
                self.hear(-1);
            }
        }
        if std::mem::take(&mut self.lost) {
            self.left.ended += orphans::end(self.group);
        }
        (self.status.unwrap_or(ExitStatus::from_raw(libc::SIGKILL)), self.left)
    }

    /// Whether this process started the guardian, and is not a fork of the one that did.
    pub(crate) fn is_ours(&self) -> bool {
        self.owner == std::process::id()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if self.is_ours() {
            self.end();
            cleanup::unlist(self.guardian);
        }
    }
}

/// A pair of sockets that keeps messages apart.
fn sockets() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends: [RawFd; 2] = [0; 2];
    // SAFETY: the array takes two descriptors, which are ours from then on.
    unsafe {
        if libc::socketpair(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0, ends.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

fn text(word: &OsStr) -> io::Result<CString> {
    CString::new(word.as_bytes()).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a word holds a zero byte"))
}

/// Our environment with the changes for the command.
fn environment(command: &Command) -> io::Result<Vec<CString>> {
    let changed = |name: &OsStr| command.get_envs().any(|(n, _)| n == name);
    let ours = std::env::vars_os().filter(|(name, _)| !changed(name));
    let more = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    let line = |(mut name, value): (OsString, OsString)| {
        name.push("=");
        name.push(value);
        text(&name)
    };
    ours.chain(more).map(line).collect()
}
