//! The job server that child processes use: an inherited one, or one that holds the slots of `-j`.
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
        unix::{fs::OpenOptionsExt, process::CommandExt},
    },
    process::Command,
    sync::Arc,
};

/// A pipe with a byte for each free slot, as GNU make has it.
#[derive(Debug)]
pub(crate) struct JobServer {
    /// The reading and the writing end, which children inherit.
    ends: [OwnedFd; 2],
    /// The reading end once more, which does not block us and may not be changed to do so by children.
    read: File,
    write: File,
}

/// A byte taken from the pipe; put back when dropped.
#[derive(Debug)]
pub(crate) struct Token {
    server: Arc<JobServer>,
    byte: u8,
}

impl JobServer {
    /// Makes a job server with a number of tokens.
    pub(crate) fn new(tokens: usize) -> io::Result<Self> {
        let mut ends: [RawFd; 2] = [0; 2];
        // SAFETY: the array takes two descriptors, which are ours from then on.
        let ends = unsafe {
            if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
                return Err(io::Error::last_os_error());
            }
            ends.map(|fd| OwnedFd::from_raw_fd(fd))
        };
        let again = |fd: &OwnedFd| format!("/dev/fd/{}", fd.as_raw_fd());
        let read = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(again(&ends[0]))?;
        let write = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(again(&ends[1]))?;
        (&write).write_all(&vec![b'+'; tokens])?;
        Ok(Self { ends, read, write })
    }

    /// Takes a token, if one is free now.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Token> {
        let mut byte = [0];
        match (&self.read).read(&mut byte) {
            Ok(1) => Some(Token { server: self.clone(), byte: byte[0] }),
            _ => None,
        }
    }

    /// Lets a child use the job server.
    pub(crate) fn lend(&self, command: &mut Command) {
        let ends = [self.ends[0].as_raw_fd(), self.ends[1].as_raw_fd()];
        let flags =
            make_flags(std::env::var("MAKEFLAGS").as_deref().unwrap_or_default(), &format!("{},{}", ends[0], ends[1]));
        command.env("CARGO_MAKEFLAGS", &flags).env("MAKEFLAGS", flags).env_remove("MFLAGS");
        let inherit = move || {
            for fd in ends {
                // SAFETY: a system call on a descriptor that the parent has open.
                if unsafe { libc::fcntl(fd, libc::F_SETFD, 0) } != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        };
        // SAFETY: between fork and exec it calls nothing but an async-signal-safe system call.
        unsafe { command.pre_exec(inherit) };
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        // The pipe has room: the byte came from it.
        let _ = (&self.server.write).write(&[self.byte]);
    }
}

/// `MAKEFLAGS` with this job server instead of another one.
fn make_flags(flags: &str, server: &str) -> String {
    let jobs = |w: &&str| !(w.starts_with("-j") || w.starts_with("--jobserver-"));
    let mut words: Vec<String> = Vec::new();
    // What follows ` -- ` are variables, which stay last.
    let (flags, variables) = flags.split_once(" -- ").map_or((flags, None), |(f, v)| (f, Some(v)));
    words.extend(flags.split(' ').filter(|w| !w.is_empty()).filter(jobs).map(str::to_owned));
    words.extend(["-j".into(), format!("--jobserver-fds={server}"), format!("--jobserver-auth={server}")]);
    words.extend(variables.map(|v| format!("-- {v}")));
    // Without short flags in front, make takes the first word for them unless it begins with a dash or blank.
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back() {
        let server = Arc::new(JobServer::new(2).unwrap());
        let (a, b) = (server.take(), server.take());
        assert!(a.is_some() && b.is_some() && server.take().is_none());
        drop(a);
        assert!(server.take().is_some());
    }

    #[test]
    fn flags_of_make_stay() {
        assert_eq!(make_flags("", "3,4"), "-j --jobserver-fds=3,4 --jobserver-auth=3,4");
        assert_eq!(
            make_flags("ks -j8 --jobserver-auth=5,6 -- A=b", "3,4"),
            "ks -j --jobserver-fds=3,4 --jobserver-auth=3,4 -- A=b"
        );
    }
}
