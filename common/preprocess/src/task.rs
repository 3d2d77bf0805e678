//! An action with its limits.
use crate::{Action, Hook, PreprocessArgs};
use std::time::Duration;

/// An action at a hook.
#[derive(Debug)]
pub struct Task {
    /// The action to run.
    pub action: Action,
    /// The origin of the action for messages: a flag, or a plugin.
    pub asked_by: String,
    /// How to set its limits, for messages: time and memory.
    pub limits: [&'static str; 2],
    /// The words by which `hal-opt` runs the same stages on an executable.
    pub words: Vec<String>,
    /// The time limit of a command, or of a stage on one executable.
    pub timeout: Option<Duration>,
    /// The memory limit, in bytes.
    pub memory: Option<u64>,
}

impl Task {
    /// Makes the task that a flag requests.
    pub(crate) fn of_flag(action: Action, hook: Hook, text: &str, args: &PreprocessArgs) -> Self {
        Self {
            action,
            asked_by: format!("`{}`", hook.flag()),
            limits: ["`--preprocess-timeout=DURATION`", "`--preprocess-memory=SIZE`"],
            words: vec![format!("--stage={}", Action::stage_text(text))],
            timeout: args.preprocess_timeout,
            memory: args.preprocess_memory,
        }
    }
}
