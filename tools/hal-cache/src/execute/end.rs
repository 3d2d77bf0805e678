//! Why a job has no result.
use crate::{
    grpc::{Failure, first_words},
    tls,
};
use prost::Message;
use tonic::{Code, Status};

/// Why a job has no result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The server lacks blobs that it had: they are to be sent again.
    Absent(String),
    /// The server does not answer, or not now.
    Away(String),
    Lost(String),
    /// No other job will have one, either.
    Refused(String),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Status(status) => Self::of(&status),
            other => Self::Lost(other.fault().why),
        }
    }
}

impl End {
    /// Why, in words.
    pub(super) fn why(self) -> String {
        match self {
            Self::Absent(why) | Self::Away(why) | Self::Lost(why) | Self::Refused(why) => why,
        }
    }

    /// What a status means.
    pub(super) fn of(status: &Status) -> Self {
        let why = first_words(status);
        if tls::in_chain(status).is_some() {
            return Self::Refused(why);
        }
        match status.code() {
            Code::Unavailable
            | Code::Unknown
            | Code::Internal
            | Code::Aborted
            | Code::Cancelled
            | Code::ResourceExhausted => Self::Away(why),
            Code::Unauthenticated | Code::PermissionDenied => {
                Self::Refused(format!("{why}: are the credentials in the environment right?"))
            }
            Code::Unimplemented => Self::Refused(format!("{why}: it does not speak the Remote Execution API")),
            Code::FailedPrecondition => match absent(status.details()) {
                Some(blob) => Self::Absent(format!("the server lost `{blob}`, which was sent to it")),
                None => Self::Lost(why),
            },
            Code::DeadlineExceeded => Self::Lost(format!("{why}: it took longer than it may")),
            _ => Self::Lost(why),
        }
    }
}

/// The details of a status, as `google.rpc.Status` has them.
#[derive(Clone, PartialEq, Message)]
struct Details {
    #[prost(message, repeated, tag = "3")]
    all: Vec<Any>,
}

#[derive(Clone, PartialEq, Message)]
struct Any {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

/// `google.rpc.PreconditionFailure`.
#[derive(Clone, PartialEq, Message)]
struct PreconditionFailure {
    #[prost(message, repeated, tag = "1")]
    violations: Vec<Violation>,
}

#[derive(Clone, PartialEq, Message)]
struct Violation {
    #[prost(string, tag = "1")]
    kind: String,
    #[prost(string, tag = "2")]
    subject: String,
}

/// The first blob that the details of a status name as missing.
fn absent(details: &[u8]) -> Option<String> {
    let details = Details::decode(details).ok()?;
    let failures = details.all.iter().filter(|any| any.type_url.ends_with("google.rpc.PreconditionFailure"));
    let violations = failures.filter_map(|any| PreconditionFailure::decode(&*any.value).ok());
    violations.flat_map(|f| f.violations).find(|v| v.kind == "MISSING").map(|v| v.subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_say_what_to_do() {
        let of = |code| End::of(&Status::new(code, "x"));
        assert_eq!(of(Code::Unavailable), End::Away("the answer is Unavailable, `x`".into()));
        assert_eq!(of(Code::InvalidArgument), End::Lost("the answer is InvalidArgument, `x`".into()));
        assert!(matches!(of(Code::Unauthenticated), End::Refused(_)));
        assert!(matches!(of(Code::FailedPrecondition), End::Lost(_)));
        let violation = Violation { kind: "MISSING".into(), subject: "blobs/ab/3".into() };
        let value = PreconditionFailure { violations: vec![violation] }.encode_to_vec();
        let any = Any { type_url: "type.googleapis.com/google.rpc.PreconditionFailure".into(), value };
        let details = Details { all: vec![any] }.encode_to_vec();
        let status = Status::with_details(Code::FailedPrecondition, "x", details.into());
        assert_eq!(End::of(&status), End::Absent("the server lost `blobs/ab/3`, which was sent to it".into()));
    }
}
