//! Times of the steps: `--time`, `--time-json`.
use hal_translate::{Clock, TranslationReport};
use serde_json::{Value, json};
use std::{
    fmt::Write,
    time::{Duration, Instant},
};

/// The times of the steps so far.
#[derive(Debug)]
pub(crate) struct Times {
    started: Instant,
    computed: Clock,
    steps: Vec<Taken>,
    /// The report of the translation, if it ran.
    pub(crate) report: Option<TranslationReport>,
}

#[derive(Debug)]
struct Taken {
    step: &'static str,
    wall: Duration,
    /// The CPU time of this process, without workers.
    cpu: Duration,
}

impl Times {
    /// Starts the clock.
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), computed: Clock::start(), steps: Vec::new(), report: None }
    }

    /// A step has ended that began at the end of the last one. Gives how long it took.
    pub(crate) fn end(&mut self, step: &'static str) -> Duration {
        let (wall, cpu): (Duration, Duration) =
            self.steps.iter().fold(Default::default(), |(w, c), s| (w + s.wall, c + s.cpu));
        let wall = self.started.elapsed().saturating_sub(wall);
        self.steps.push(Taken { step, wall, cpu: self.computed.elapsed().saturating_sub(cpu) });
        wall
    }

    /// Returns the total time so far.
    pub(crate) fn total(&self) -> Duration {
        self.started.elapsed()
    }

    /// A table of milliseconds in order, then the executables.
    pub(crate) fn table(&self) -> String {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        let mut text = format!("{:>9} {:>9}  step (cpu: of this process, without workers)\n", "wall ms", "cpu ms");
        for s in &self.steps {
            let _ = writeln!(text, "{:>9.1} {:>9.1}  {}", ms(s.wall), ms(s.cpu), s.step);
        }
        let _ = writeln!(text, "{:>9.1} {:>9.1}  in all", ms(self.total()), ms(self.computed.elapsed()));
        if let Some(report) = self.report.as_ref().filter(|r| !r.is_empty()) {
            text += "\n";
            text += &report.times();
        }
        text
    }

    /// Returns the times in seconds as JSON.
    pub(crate) fn json(&self) -> Value {
        let step = |s: &Taken| json!({ "step": s.step, "wall": s.wall.as_secs_f64(), "cpu": s.cpu.as_secs_f64() });
        json!({
            "version": 1,
            "wall": self.total().as_secs_f64(),
            "cpu": self.computed.elapsed().as_secs_f64(),
            "steps": self.steps.iter().map(step).collect::<Vec<_>>(),
            "executables": self.report.as_ref().map_or_else(|| json!([]), TranslationReport::times_json),
            "launches": self.report.as_ref().map_or_else(|| json!([]), TranslationReport::launches_json),
        })
    }
}
