//! Entries to test with.
#![allow(dead_code, reason = "each test file uses some of it")]
use halyard_tuning::{Database, Interval, Subject, Trial, TrialOutcome, TunedCode, Winner};
use tempfile::TempDir;

pub(crate) const TARGET: &str = "cpu:x86-64-v3@x86_64-unknown-linux-gnu";

/// An empty database in a folder of its own.
pub(crate) fn database() -> (TempDir, Database) {
    let folder = TempDir::new().unwrap();
    let database = Database::open(&folder.path().join("tuning.db")).unwrap();
    (folder, database)
}

pub(crate) fn subject(key: &str, machine: &str) -> Subject {
    Subject { key: key.into(), target: TARGET.into(), machine: machine.into() }
}

pub(crate) fn schedule(key: &str, machine: &str, ratio: f64) -> Winner {
    Winner {
        subject: subject(key, machine),
        code: TunedCode::Schedules(vec![Some("{tile = [48, 9], workgroups = 4}".into()), None]),
        ratio: Interval::new(ratio, ratio * 0.875, ratio * 1.125).unwrap(),
        trials: 17,
        version: "0.1.0".into(),
        origin: "main_dispatch_0 (Conv_3)".into(),
    }
}

pub(crate) fn variant(key: &str, machine: &str, ratio: f64) -> Winner {
    Winner { code: TunedCode::Variant(vec![0, 200, 10, 34]), ..schedule(key, machine, ratio) }
}

pub(crate) fn trial(key: &str, candidate: &[u8]) -> Trial {
    let interval = |x| Interval::new(x, x - 0.25, x + 0.5).unwrap();
    Trial {
        subject: subject(key, "m"),
        kind: "schedule".into(),
        candidate: candidate.to_vec(),
        outcome: TrialOutcome::Measured { time: interval(1234.5), ratio: interval(1.5) },
        details: String::new(),
        version: "0.1.0".into(),
    }
}
