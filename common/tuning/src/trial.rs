//! Trials.
use crate::{Interval, Subject};
use serde::{Deserialize, Serialize};

/// A candidate and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Its subject.
    pub subject: Subject,
    /// The kind of candidate, as the search calls it: `schedule`, `c`, `mlir`, `object`.
    pub kind: String,
    /// The candidate. Kind and candidate identify a trial of a subject.
    pub candidate: Vec<u8>,
    /// The result.
    pub outcome: TrialOutcome,
    /// More about it, for searches, such as hot spots of its code; may be empty.
    pub details: String,
    /// The version of the tool that measured it.
    pub version: String,
}

/// The result of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrialOutcome {
    /// It is correct.
    Measured {
        /// The time of a call in nanoseconds.
        time: Interval,
        /// The time of the compiler's own choice divided by its time, measured by turns.
        ratio: Interval,
    },
    /// It cannot be used; the reason.
    Rejected(String),
}
