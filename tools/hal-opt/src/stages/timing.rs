//! How long things take.
use std::time::{Duration, Instant};

/// How long the steps took, in order.
#[derive(Debug, Default)]
pub struct Timing {
    /// Name and time of each step.
    pub steps: Vec<(String, Duration)>,
}

impl Timing {
    /// Runs something and notes how long it took.
    pub fn measure<T>(&mut self, name: &str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = halyard_exec::naming_crashes(&format!("the stage `{name}`"), run);
        self.steps.push((name.to_owned(), start.elapsed()));
        result
    }
}
