//! A child that answers questions, one per line, for as long as it is needed: its start-up is paid once.
use crate::{
    ExitOutcome, OUTPUT, Tool,
    guard::Guarded,
    supervise::{is_nothing, never_block},
};
use halyard_diag::{Error, Result};
use std::{
    ffi::OsString,
    io::{Read, Write},
    os::fd::AsRawFd,
    process::{ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// Time for the child to end after the last question.
const GRACE: Duration = Duration::from_secs(2);

/// A running child. Its standard error is ours. It and its children end when this is dropped.
#[derive(Debug)]
pub struct Coprocess {
    guarded: Guarded,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    unread: Vec<u8>,
}

impl Coprocess {
    /// Starts a program. Errors: it cannot be started.
    pub fn start(tool: &Tool, args: &[OsString]) -> Result<Self> {
        let mut command = Command::new(tool.path());
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let fail = |e: std::io::Error| Error::environment(format!("cannot run `{}`: {e}", tool.path().display()));
        let (pipes, guarded) = Guarded::spawn(command, None).map_err(fail)?;
        let (stdin, stdout) = (pipes.stdin, pipes.stdout.expect("it is piped"));
        // One that does not read must not hold us up.
        stdin.as_ref().map_or(Ok(()), |s| never_block(s.as_raw_fd())).map_err(fail)?;
        Ok(Self { guarded, stdin, stdout, unread: Vec::new() })
    }

    /// Whether this process started the child, and is not a fork of the one that did.
    pub fn is_ours(&self) -> bool {
        self.guarded.is_ours()
    }

    /// Sends a line and waits for one. Errors: how the child ended instead; it ends too if it takes longer than `limit`,
    /// for reading the one as for writing the other, or replies with more than [`OUTPUT`] bytes.
    pub fn ask(&mut self, line: &str, limit: Option<Duration>) -> Result<String, ExitOutcome> {
        let mut answer = None;
        self.talk(format!("{line}\n").as_bytes(), limit, &mut |unread, sent| {
            let end = unread.iter().position(|&b| b == b'\n').filter(|_| sent);
            answer = end.map(|end| String::from_utf8_lossy(&unread[..end]).into_owned());
            (end.map_or(0, |end| end + 1), end.is_none())
        })?;
        Ok(answer.unwrap_or_default())
    }

    /// Sends bytes, and reads for as long as `take` wants more: it is given what was not taken yet, and whether all is sent; it
    /// returns how many bytes it takes, and whether it waits for more. Errors: as [`Coprocess::ask`], where [`OUTPUT`] bounds
    /// what is not taken.
    pub fn talk(
        &mut self,
        bytes: &[u8],
        limit: Option<Duration>,
        take: &mut dyn FnMut(&[u8], bool) -> (usize, bool),
    ) -> Result<(), ExitOutcome> {
        let deadline = limit.map(|l| Instant::now() + l);
        let mut unsent = bytes;
        loop {
            let (taken, waits) = take(&self.unread, unsent.is_empty());
            self.unread.drain(..taken);
            if !waits {
                return Ok(());
            }
            let wait = match deadline.map(|d| d.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => {
                    self.guarded.signal(libc::SIGTERM);
                    self.end();
                    return Err(ExitOutcome::TooSlow(limit.unwrap_or_default()));
                }
                Some(left) => i32::try_from(left.as_millis()).unwrap_or(i32::MAX).max(1),
                None => -1,
            };
            let Some(stdin) = self.stdin.as_mut() else { return Err(self.end()) };
            let writes = if unsent.is_empty() { -1 } else { stdin.as_raw_fd() };
            let mut watched = [
                libc::pollfd { fd: self.stdout.as_raw_fd(), events: libc::POLLIN, revents: 0 },
                libc::pollfd { fd: writes, events: libc::POLLOUT, revents: 0 },
            ];
            // SAFETY: the array lives through the call and its length is given.
            if unsafe { libc::poll(watched.as_mut_ptr(), 2, wait) } <= 0 {
                continue;
            }
            if watched[1].revents != 0 {
                match stdin.write(unsent) {
                    Ok(count) => unsent = &unsent[count..],
                    Err(e) if is_nothing(&e) => {}
                    Err(_) => return Err(self.end()),
                }
            }
            if watched[0].revents != 0 {
                let mut buffer = [0; 1 << 16];
                match self.stdout.read(&mut buffer) {
                    Ok(count) if count > 0 => self.unread.extend_from_slice(&buffer[..count]),
                    Err(e) if is_nothing(&e) => {}
                    _ => return Err(self.end()),
                }
                if self.unread.len() as u64 > OUTPUT {
                    self.guarded.signal(libc::SIGTERM);
                    self.end();
                    return Err(ExitOutcome::TooMuch(OUTPUT));
                }
            }
        }
    }

    /// Ends it, by force if it takes too long; how it ended.
    fn end(&mut self) -> ExitOutcome {
        self.stdin = None;
        self.guarded.wait(GRACE);
        // Background processes of it are ended, too.
        ExitOutcome::of(self.guarded.end().0)
    }
}

impl Drop for Coprocess {
    fn drop(&mut self) {
        if self.is_ours() {
            self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Coprocess {
        Coprocess::start(&Tool::find("sh", "").unwrap(), &["-c".into(), script.into()]).unwrap()
    }

    #[test]
    fn answers_questions_one_by_one() {
        let mut child = shell("while read x; do echo \"<$x>\"; done");
        assert_eq!(child.ask("a", None).unwrap(), "<a>");
        assert_eq!(child.ask("b c", Some(Duration::from_secs(10))).unwrap(), "<b c>");
    }

    #[test]
    fn one_that_does_not_read_is_ended_in_time() {
        let (mut child, limit) = (shell("sleep 100"), Duration::from_millis(100));
        let start = Instant::now();
        assert_eq!(child.ask(&"x".repeat(1 << 22), Some(limit)).unwrap_err(), ExitOutcome::TooSlow(limit));
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn long_lines_go_both_ways() {
        let line = "x".repeat(1 << 22);
        assert_eq!(shell("cat").ask(&line, Some(Duration::from_secs(60))).unwrap(), line);
    }

    #[test]
    fn says_how_it_ended_instead() {
        assert_eq!(shell("read x; exit 3").ask("a", None).unwrap_err(), ExitOutcome::Exit(3));
        assert_eq!(shell("read x; kill -9 $$").ask("a", None).unwrap_err(), ExitOutcome::Signal(9));
        let limit = Duration::from_millis(50);
        assert_eq!(shell("sleep 100").ask("a", Some(limit)).unwrap_err(), ExitOutcome::TooSlow(limit));
    }
}
