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
    /// What asked for it, and for what: `--preprocess-executables-with`, with its value.
    pub fn title(&self) -> String {
        match (&self.action, self.words.first()) {
            (Action::Command(command), _) => format!("{}: {}", self.asked_by, command.line),
            (Action::Stage(_), Some(word)) => format!("{}: {}", self.asked_by, word.trim_start_matches("--stage=")),
            _ => self.asked_by.clone(),
        }
    }

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
