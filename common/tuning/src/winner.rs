//! Winners.
use crate::{Interval, Subject};
use serde::{Deserialize, Serialize};

/// The best known form of an executable for a target on a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    /// Its subject.
    pub subject: Subject,
    /// The form.
    pub code: TunedCode,
    /// The time of the compiler's own choice divided by its time: above 1 it is faster.
    pub ratio: Interval,
    /// The number of candidates that were measured or rejected until then.
    pub trials: u64,
    /// The version of the tool that measured it.
    pub version: String,
    /// Where the executable came from, for people: a name, nodes of a model.
    pub origin: String,
}

/// How an executable is made into code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TunedCode {
    /// The value of `hal.schedule` for each export, in the order of the exports, as MLIR's text; `None` for an export that has
    /// no schedule. The names of exports change with the model and do not occur.
    Schedules(Vec<Option<String>>),
    /// A variant: an executable in the exchange form, as MLIR text or bytecode, that holds this one variant with its code or
    /// objects inside. Its exports are in the order of the executable's.
    Variant(Vec<u8>),
}

/// The text of [`TunedCode::Schedules`] in a database: JSON.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct ScheduleList(Vec<Option<String>>);

impl TunedCode {
    /// The word for what it is: `schedule`, `variant`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Schedules(_) => "schedule",
            Self::Variant(_) => "variant",
        }
    }

    /// Its bytes in a database.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Schedules(list) => serde_json::to_vec(&ScheduleList(list.clone())).expect("texts are legal in JSON"),
            Self::Variant(bytes) => bytes.clone(),
        }
    }

    /// Reads what [`TunedCode::bytes`] wrote. Errors: why it is nothing of the kind.
    pub(crate) fn read(kind: &str, bytes: Vec<u8>) -> Result<Self, String> {
        match kind {
            "schedule" => serde_json::from_slice(&bytes)
                .map(|ScheduleList(list)| Self::Schedules(list))
                .map_err(|e| format!("its schedules are not a list of texts: {e}")),
            "variant" if bytes.is_empty() => Err("its variant is empty".into()),
            "variant" => Ok(Self::Variant(bytes)),
            other => Err(format!("`{other}` is no kind of entry (`schedule`, `variant`)")),
        }
    }
}
