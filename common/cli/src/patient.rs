//! Standard streams that others made non-blocking: a pipe or terminal is so for all that share it. Waits where it would block.
use std::{
    io::{self, ErrorKind, Read, Write},
    os::fd::{AsFd, AsRawFd},
};

/// A stream whose reads and writes wait.
pub(crate) struct Patient<S>(pub(crate) S);

impl<S: AsFd> Patient<S> {
    fn wait<T>(&mut self, events: i16, mut step: impl FnMut(&mut S) -> io::Result<T>) -> io::Result<T> {
        loop {
            match step(&mut self.0) {
                Err(e) if e.kind() == ErrorKind::WouldBlock => {}
                done => return done,
            }
            let mut watched = libc::pollfd { fd: self.0.as_fd().as_raw_fd(), events, revents: 0 };
            // SAFETY: one live structure.
            unsafe { libc::poll(&raw mut watched, 1, -1) };
        }
    }
}

impl<S: AsFd + Read> Read for Patient<S> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.wait(libc::POLLIN, |stream| stream.read(to))
    }
}

impl<S: AsFd + Write> Write for Patient<S> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.wait(libc::POLLOUT, |stream| stream.write(from))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait(libc::POLLOUT, Write::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, os::unix::net::UnixStream, thread, time::Duration};

    #[test]
    fn a_slow_other_end_is_waited_for() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let text: Vec<u8> = (0..2_000_000_u32).map(|i| i as u8).collect();
        let (sent, mut got) = (text.clone(), Vec::new());
        let reader = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            let mut theirs = File::from(std::os::fd::OwnedFd::from(theirs));
            theirs.read_exact(&mut vec![0; sent.len()]).unwrap();
            thread::sleep(Duration::from_millis(20));
            theirs.write_all(&sent).unwrap();
        });
        let mut patient = Patient(ours);
        patient.write_all(&text).unwrap();
        patient.read_to_end(&mut got).unwrap();
        reader.join().unwrap();
        assert!(got == text);
    }
}
