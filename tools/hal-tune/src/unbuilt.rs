//! Why a candidate has no kernel.
use crate::trial::TrialOutcome;
use halyard_diag::Error;

/// Errors of a moment: a worker process was killed from outside, or could not be started.
const PASSING: [&str; 2] = ["no-worker", "worker-killed"];

/// Why there is no kernel of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unbuilt {
    /// The reason, as a sentence.
    pub(crate) why: String,
    /// Whether it may be built another time: nothing is wrong with the candidate.
    pub(crate) is_passing: bool,
}

impl From<String> for Unbuilt {
    fn from(why: String) -> Self {
        Self { why, is_passing: false }
    }
}

impl From<&str> for Unbuilt {
    fn from(why: &str) -> Self {
        why.to_owned().into()
    }
}

impl From<Error> for Unbuilt {
    fn from(error: Error) -> Self {
        let code = error.diagnostics.first().and_then(|d| d.code);
        Self { why: reason(&error), is_passing: code.is_some_and(|code| PASSING.contains(&code)) }
    }
}

impl From<Unbuilt> for TrialOutcome {
    /// What is not known of a candidate is not recorded: it is tried again.
    fn from(unbuilt: Unbuilt) -> Self {
        match unbuilt.is_passing {
            true => Self::Skipped(unbuilt.why),
            false => Self::NotBuilt(unbuilt.why),
        }
    }
}

/// What an error says, in one line, without the executable that it is about.
pub(crate) fn reason(error: &Error) -> String {
    let Some(first) = error.diagnostics.first() else { return "it was not translated".into() };
    let line = first.message.lines().next().unwrap_or_default();
    line.split_once("` of export `@")
        .and_then(|(_, rest)| rest.split_once("`: "))
        .map_or(line, |(_, why)| why)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_killed_is_tried_again() {
        let outcome = |code| TrialOutcome::from(Unbuilt::from(Error::tool("it was killed").code(code)));
        assert_eq!(outcome("worker-killed"), TrialOutcome::Skipped("it was killed".into()));
        assert_eq!(outcome("translation-crashed"), TrialOutcome::NotBuilt("it was killed".into()));
    }
}
