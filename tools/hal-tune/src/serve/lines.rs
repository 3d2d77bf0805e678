//! Lines of standard input, while signals may come.
use halyard_diag::{Error, Result};
use halyard_exec::Interrupt;
use std::{
    io::{BufRead, BufReader, Read},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    time::Duration,
};

/// A request is no longer than this.
const LONGEST: u64 = 16 << 20;
/// How often is looked whether a signal came.
const PATIENCE: Duration = Duration::from_millis(100);

/// What came.
pub(super) enum Came {
    Line(Vec<u8>),
    /// A line that is too long; what follows it is not read.
    TooLong,
    /// The client left, or a signal asks to end.
    End,
}

/// Reads lines in a thread of its own, one ahead.
pub(super) struct Lines(Receiver<Option<Vec<u8>>>);

impl Lines {
    /// Errors: the system gives no thread.
    pub(super) fn of_stdin() -> Result<Self> {
        let (sender, receiver) = sync_channel(1);
        let read = move || {
            let mut input = BufReader::new(std::io::stdin());
            loop {
                let mut line = Vec::new();
                let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
                let whole = line.last() == Some(&b'\n');
                let came = match read {
                    Ok(n) if n > 0 && (whole || (n as u64) < LONGEST) => Some(line),
                    Ok(n) if n > 0 => None,
                    _ => break,
                };
                let is_last = came.is_none();
                if sender.send(came).is_err() || is_last {
                    break;
                }
            }
        };
        let reader = std::thread::Builder::new().spawn(read);
        reader.map_err(|e| Error::system("cannot start a thread that reads requests", &e))?;
        Ok(Self(receiver))
    }

    /// The next line, or that there is none.
    pub(super) fn next(&self, interrupt: Interrupt) -> Came {
        loop {
            if interrupt.came() {
                return Came::End;
            }
            match self.0.recv_timeout(PATIENCE) {
                Ok(Some(line)) => return Came::Line(line),
                Ok(None) => return Came::TooLong,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Came::End,
            }
        }
    }
}
