//! The table of `--timing`.
use crate::Timing;
use std::fmt::Write;

/// Draws the table: seconds and share of each step in order, then the total.
pub(crate) fn timing(timing: &Timing) -> String {
    let total: f64 = timing.steps.iter().map(|(_, time)| time.as_secs_f64()).sum();
    let mut text = String::from("   seconds   share  step\n");
    let rows = timing.steps.iter().map(|(name, time)| (name.as_str(), time.as_secs_f64()));
    for (name, seconds) in rows.chain([("total", total)]) {
        let share = if total > 0.0 { 100.0 * seconds / total } else { 0.0 };
        let _ = writeln!(text, "{seconds:10.6} {share:6.1} %  {name}");
    }
    text
}
