//! An action with what it runs under.
use crate::{Action, Hook, PreprocessArgs};
use std::time::Duration;

/// An action at a hook.
#[derive(Debug)]
pub struct Task {
    /// What to run.
    pub action: Action,
    /// What asks for it, for messages: a flag, or a plugin.
    pub asked_by: String,
    /// How its limits are set: the words for time and for memory.
    pub limits: [&'static str; 2],
    /// The words by which `hal-opt` runs the same stages on an executable.
    pub words: Vec<String>,
    /// How long a command, or a stage on an executable, may take.
    pub timeout: Option<Duration>,
    /// How much memory, in bytes, they may have.
    pub memory: Option<u64>,
}

impl Task {
    /// What a flag asks for.
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
