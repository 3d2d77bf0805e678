//! What was tried.
use crate::{Interval, Subject};
use serde::{Deserialize, Serialize};

/// A candidate and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What it was for.
    pub subject: Subject,
    /// What kind of candidate it is, in the words of the search: `schedule`, `c`, `mlir`, `object`.
    pub kind: String,
    /// The candidate. Kind and candidate identify a trial of a subject.
    pub candidate: Vec<u8>,
    /// What became of it.
    pub outcome: TrialOutcome,
    /// More about it, for searches, such as hot spots of its code; may be empty.
    pub details: String,
    /// The version of the tool that measured it.
    pub version: String,
}

/// What became of a candidate.
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
