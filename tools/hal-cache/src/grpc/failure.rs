//! Why a call has no result, in words.
use crate::{fault::Fault, tls};
use tonic::{Code, Status};

/// Why a call has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was asked for is not there.
    Missing,
    /// The server says so, or does not answer.
    Status(Box<Status>),
    Other(Fault),
}

impl Failure {
    /// Why, in words.
    pub(crate) fn fault(self) -> Fault {
        match self {
            Self::Missing => "what was asked for is not there".to_owned().into(),
            Self::Status(status) => words(&status).into(),
            Self::Other(fault) => fault,
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Other(fault)
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Other(why.into())
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        if status.code() == Code::NotFound { Self::Missing } else { Self::Status(Box::new(status)) }
    }
}

/// What a status says, and what to do about it.
fn words(status: &Status) -> String {
    let hint = match status.code() {
        Code::Unauthenticated | Code::PermissionDenied => ": are the credentials in the environment right?",
        Code::ResourceExhausted => ": the store is full, or the entry too large for it",
        _ => "",
    };
    format!("{}{hint}", first_words(status))
}

/// What a status says.
pub(crate) fn first_words(status: &Status) -> String {
    if let Some(why) = tls::in_chain(status) {
        return why;
    }
    let said: String = status.message().chars().take(500).collect();
    let said = if said.is_empty() { said } else { format!(", `{said}`") };
    format!("the answer is {:?}{said}", status.code())
}
