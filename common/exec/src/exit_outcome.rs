//! The exit status of a child, and its words in messages.
use std::{os::unix::process::ExitStatusExt, process::ExitStatus, time::Duration};

/// The way a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitOutcome {
    /// It exited with a code; 0 is success.
    Exit(i32),
    /// A signal that Halyard did not send ended it.
    Signal(i32),
    /// It stopped because it wanted the terminal, which children do not have, and was ended.
    Stopped(i32),
    /// It exceeded this time limit and was ended.
    TooSlow(Duration),
    /// Its standard output was longer than this many bytes, and it was ended.
    TooMuch(u64),
    /// It was cancelled, since its result was no longer needed.
    Cancelled,
}

impl ExitOutcome {
    pub(crate) fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exit(code),
            (None, signal) => Self::Signal(signal.unwrap_or_default()),
        }
    }

    /// Whether the child exited with code 0.
    pub fn is_success(self) -> bool {
        self == Self::Exit(0)
    }

    /// Describes the ending, as the end of a sentence that begins with the child: `failed with exit code 1`.
    pub fn words(self) -> String {
        match self {
            Self::Exit(0) => "ended well".into(),
            // A shell that waits for a command reports its signal as exit code 128+n.
            Self::Exit(code) => match signal_name(code - 128) {
                Some(name) if code > 128 => format!("failed with exit code {code}, which a shell gives for {name}"),
                _ => format!("failed with exit code {code}"),
            },
            Self::Signal(signal) => {
                let name = signal_name(signal).unwrap_or("signal");
                format!("was killed by {name} ({signal})")
            }
            Self::Stopped(signal) => {
                format!(
                    "wanted the terminal, was stopped by {} and then ended",
                    signal_name(signal).unwrap_or("a signal")
                )
            }
            Self::TooSlow(limit) => format!("did not finish within {} and was ended", seconds(limit)),
            Self::TooMuch(limit) => format!("wrote more than {} to standard output and was ended", size(limit)),
            Self::Cancelled => "was ended because it was not needed any more".into(),
        }
    }

    /// The meaning of a shell's own exit codes.
    pub fn explanation(self) -> Option<&'static str> {
        match self {
            Self::Exit(127) => Some("a shell gives 127 for a command that it did not find"),
            Self::Exit(126) => Some(
                "a shell gives 126 for a command that it found but cannot execute: a folder, a file without \
                 the executable bit, or one whose interpreter is missing",
            ),
            _ => None,
        }
    }
}

pub(crate) fn signal_name(signal: i32) -> Option<&'static str> {
    signal_hook::low_level::signal_name(signal)
}

/// A number of bytes as people write it, exactly: `1 GiB`, `1000 bytes`.
fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.into_iter().find(|&(power, _)| bytes >> power > 0 && bytes.trailing_zeros() >= power) {
        Some((power, unit)) => format!("{} {unit}", bytes >> power),
        None => format!("{bytes} bytes"),
    }
}

/// A duration as people write it: `0.2 s`.
fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}
