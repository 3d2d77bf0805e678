//! Why a request has no result.

/// Why a request has no result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// A sentence.
    pub(crate) why: String,
    /// Whether there was an answer, which is wrong. Others cost more: time, or a connection.
    pub(crate) wrong: bool,
}

impl Fault {
    /// A wrong answer.
    pub(crate) fn wrong(why: impl Into<String>) -> Self {
        Self { why: why.into(), wrong: true }
    }
}

impl From<String> for Fault {
    fn from(why: String) -> Self {
        Self { why, wrong: false }
    }
}
