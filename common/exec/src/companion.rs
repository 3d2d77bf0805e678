//! A child that answers questions, line by line, for as long as it is needed: what takes long to start is started once.
use crate::{
    Ending, Tool,
    cleanup::{Group, MARK, Mark},
    supervise::confine,
};
use halyard_diag::{Error, Result};
use std::{
    ffi::OsString,
    io::{ErrorKind, Read, Write},
    os::fd::AsRawFd,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// How long it may take to end once there are no more questions.
const GRACE: Duration = Duration::from_secs(2);

/// A running child. Its standard error is ours. It and its children end when this is dropped.
#[derive(Debug)]
pub struct Companion {
    child: Child,
    group: Group,
    mark: Mark,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    unread: Vec<u8>,
    /// Who started it: a fork of that process must leave it alone.
    owner: u32,
}

impl Companion {
    /// Starts a program. Errors: it cannot be started.
    pub fn start(tool: &Tool, args: &[OsString]) -> Result<Self> {
        let mark = Mark::lasting();
        let mut command = Command::new(tool.path());
        command.args(args).env(MARK, mark.value());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        confine(&mut command, None);
        let fail = |e: std::io::Error| Error::environment(format!("cannot run `{}`: {e}", tool.path().display()));
        let (mut child, group) = Group::spawn(&mut command).map_err(fail)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().expect("it is piped"));
        Ok(Self { child, group, mark, stdin, stdout, unread: Vec::new(), owner: std::process::id() })
    }

    /// Whether this process started it, not one that this is a fork of.
    pub fn is_ours(&self) -> bool {
        self.owner == std::process::id()
    }

    /// Sends a line and waits for one. Errors: how the child ended instead; it ends too if it takes longer than `limit`.
    pub fn ask(&mut self, line: &str, limit: Option<Duration>) -> Result<String, Ending> {
        let deadline = limit.map(|l| Instant::now() + l);
        let sent = self
            .stdin
            .as_mut()
            .map(|s| s.write_all(line.as_bytes()).and_then(|()| s.write_all(b"\n")).and_then(|()| s.flush()));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.end());
        }
        loop {
            if let Some(end) = self.unread.iter().position(|&b| b == b'\n') {
                let rest = self.unread.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.unread, rest);
                line.pop();
                return Ok(String::from_utf8_lossy(&line).into_owned());
            }
            let wait = match deadline.map(|d| d.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => {
                    self.group.signal(libc::SIGTERM);
                    self.end();
                    return Err(Ending::TooSlow(limit.unwrap_or_default()));
                }
                Some(left) => i32::try_from(left.as_millis()).unwrap_or(i32::MAX).max(1),
                None => -1,
            };
            let mut watched = libc::pollfd { fd: self.stdout.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: the structure lives through the call.
            if unsafe { libc::poll(&raw mut watched, 1, wait) } <= 0 {
                continue;
            }
            let mut buffer = [0; 1 << 16];
            match self.stdout.read(&mut buffer) {
                Ok(count) if count > 0 => self.unread.extend_from_slice(&buffer[..count]),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                _ => return Err(self.end()),
            }
        }
    }

    /// Ends it, by force if it takes too long; how it ended.
    fn end(&mut self) -> Ending {
        self.stdin = None;
        let deadline = Instant::now() + GRACE;
        let mut wait = Duration::from_micros(200);
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(wait);
                    wait = (2 * wait).min(Duration::from_millis(10));
                }
                Ok(None) => {
                    self.group.signal(libc::SIGKILL);
                    self.mark.end_all();
                    break self.child.wait();
                }
                Ok(Some(status)) => break Ok(status),
                Err(e) => break Err(e),
            }
        };
        // What it put into the background goes, too.
        self.group.signal(libc::SIGKILL);
        status.map_or(Ending::Signal(0), Ending::of)
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        if self.is_ours() {
            self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Companion {
        Companion::start(&Tool::find("sh", "").unwrap(), &["-c".into(), script.into()]).unwrap()
    }

    #[test]
    fn answers_questions_one_by_one() {
        let mut child = shell("while read x; do echo \"<$x>\"; done");
        assert_eq!(child.ask("a", None).unwrap(), "<a>");
        assert_eq!(child.ask("b c", Some(Duration::from_secs(10))).unwrap(), "<b c>");
    }

    #[test]
    fn outlives_calls() {
        let mut child = shell("while read x; do echo $x; done");
        assert_eq!(child.ask("a", None).unwrap(), "a");
        crate::end_left_behind();
        assert_eq!(child.ask("b", None).unwrap(), "b");
    }

    #[test]
    fn says_how_it_ended_instead() {
        assert_eq!(shell("read x; exit 3").ask("a", None).unwrap_err(), Ending::Exit(3));
        assert_eq!(shell("read x; kill -9 $$").ask("a", None).unwrap_err(), Ending::Signal(9));
        let limit = Duration::from_millis(50);
        assert_eq!(shell("sleep 100").ask("a", Some(limit)).unwrap_err(), Ending::TooSlow(limit));
    }
}
