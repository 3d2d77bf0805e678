//! The progress bar: one bar, with the running jobs below it.
//!
//! Nothing is drawn in the first 250 ms, so that fast commands print nothing, and nothing at all unless standard error
//! is an interactive terminal.
use crate::Printer;
use halyard_diag::still;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    collections::BTreeMap,
    io::IsTerminal,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The time before a command shows progress.
const PATIENCE: Duration = Duration::from_millis(250);
/// The interval between two drawings.
const TICK: Duration = Duration::from_millis(200);
/// The most running jobs that are listed on lines of their own.
const LINES: usize = 8;

/// Progress of a known number of steps. Dropping it removes the bar.
#[derive(Debug)]
pub struct Progress {
    lines: MultiProgress,
    bar: ProgressBar,
    shown: Arc<Mutex<BTreeMap<usize, ProgressBar>>>,
    finished: Arc<(Mutex<bool>, Condvar)>,
    started: Instant,
}

/// A step that is running. Dropping it counts it as done.
#[derive(Debug)]
pub struct ProgressStep<'p> {
    progress: &'p Progress,
    line: Option<(usize, ProgressBar)>,
}

impl Progress {
    /// Starts a bar of `steps` steps; `what` says what is being done, e.g. `compiling`.
    pub fn new(printer: &Printer, what: &str, steps: usize) -> Self {
        let lines = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let bar = lines.add(ProgressBar::new(steps as u64));
        bar.set_style(style("{prefix} [{bar:30}] {pos}/{len} {elapsed}"));
        bar.set_prefix(what.to_owned());
        let finished = Arc::new((Mutex::new(false), Condvar::new()));
        let shown: Arc<Mutex<BTreeMap<usize, ProgressBar>>> = Arc::default();
        if visible(printer) {
            printer.attach(&lines);
            let (lines, bar, shown, finished) = (lines.clone(), bar.clone(), shown.clone(), finished.clone());
            // Without a thread there is no bar.
            let _ = std::thread::Builder::new().spawn(move || {
                let mut wait = PATIENCE;
                while !finishes_in(&finished, wait) {
                    // No fork of ours may come in between.
                    let _still = still();
                    if wait == PATIENCE {
                        lines.set_draw_target(ProgressDrawTarget::stderr());
                    }
                    wait = TICK;
                    bar.tick();
                    let running = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    running.values().for_each(ProgressBar::tick);
                }
            });
        }
        Self { lines, bar, shown, finished, started: Instant::now() }
    }

    /// Starts a step. May be called on any thread.
    pub fn start(&self, name: &str) -> ProgressStep<'_> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let line = (shown.len() < LINES).then(|| {
            let line = self.lines.add(ProgressBar::new_spinner());
            line.set_style(style("  [{elapsed}] {msg}"));
            line.set_message(name.to_owned());
            let number = shown.last_key_value().map_or(0, |(last, _)| last + 1);
            shown.insert(number, line.clone());
            (number, line)
        });
        ProgressStep { progress: self, line }
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        *self.finished.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.finished.1.notify_all();
        self.bar.finish_and_clear();
        let _ = self.lines.clear();
    }
}

impl Drop for ProgressStep<'_> {
    fn drop(&mut self) {
        if let Some((number, line)) = &self.line {
            self.progress.shown.lock().unwrap_or_else(PoisonError::into_inner).remove(number);
            line.finish_and_clear();
            self.progress.lines.remove(line);
        }
        self.progress.bar.inc(1);
    }
}

/// Waits for the end, at most that long; whether it came.
fn finishes_in(finished: &(Mutex<bool>, Condvar), wait: Duration) -> bool {
    let guard = finished.0.lock().unwrap_or_else(PoisonError::into_inner);
    finished.1.wait_timeout_while(guard, wait, |done| !*done).is_ok_and(|(done, _)| *done)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

/// Whether the bar can be seen: a terminal that can move its cursor, no `-q`, no machine-readable format, no build
/// server.
fn visible(printer: &Printer) -> bool {
    std::io::stderr().is_terminal()
        && !printer.is_quiet()
        && !printer.is_verbose()
        && printer.is_human()
        && std::env::var_os("CI").is_none()
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}
