//! How long things take.
use super::{Observer, RunningStage};
use halyard_diag::Result;
use halyard_ir::Op;
use std::{
    fmt::Write,
    time::{Duration, Instant},
};

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

    /// Draws a table: seconds and share of each step in order, then the total.
    pub fn table(&self) -> String {
        let total: f64 = self.steps.iter().map(|(_, time)| time.as_secs_f64()).sum();
        let mut text = String::from("   seconds   share  step\n");
        let rows = self.steps.iter().map(|(name, time)| (name.as_str(), time.as_secs_f64()));
        for (name, seconds) in rows.chain([("total", total)]) {
            let share = if total > 0.0 { 100.0 * seconds / total } else { 0.0 };
            let _ = writeln!(text, "{seconds:10.6} {share:6.1} %  {name}");
        }
        text
    }
}

impl Observer for Timing {
    fn after(&mut self, stage: RunningStage<'_>, _: Op, time: Duration, result: Result<()>) -> Result<()> {
        self.steps.push((stage.name.to_owned(), time));
        result
    }
}
