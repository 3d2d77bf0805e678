//! Decides which items are sent next, how many at once, and when they are lost.
use super::{Answer, LaunchAttempt, Launched, LaunchedItem, Launcher, Refusal};
use crate::Cancel;
use std::time::{Duration, Instant};

// `tests/farm/simulate.py` has the same rules, and says what they are good for.
/// The least work of a job, where there is enough of it, in seconds.
const LEAST: f64 = 0.1;
/// The first jobs hold so many items: nothing is known of them yet.
const FIRST: usize = 4;
/// What starting a launcher takes of a core of this machine, in seconds: a shell and a small program.
const LAUNCH: f64 = 0.002;
/// A job is late after so many times the time that it should take.
const LATE: f64 = 5.0;
/// The same where nothing is known yet.
const UNKNOWN: Duration = Duration::from_secs(20);
/// The longest time between two looks for late jobs: what is known of them changes.
const LOOK: Duration = Duration::from_secs(1);

/// The items, and all that is known of them.
pub(super) struct Queue {
    launcher: Launcher,
    items: Vec<Option<LaunchedItem>>,
    /// The first item that has never been sent.
    fresh: usize,
    /// Jobs that were lost and are sent again.
    again: Vec<(Instant, Batch)>,
    running: Vec<Running>,
    attempts: Vec<LaunchAttempt>,
    refused: Option<Refusal>,
    gave_up: bool,
    /// Numbers for jobs.
    count: usize,
    done: Done,
    losses: usize,
}

/// Of jobs that succeeded: how many, their items, the time of the work, and that around it, in seconds.
#[derive(Default)]
struct Done {
    jobs: usize,
    items: usize,
    work: f64,
    around: f64,
}

impl Done {
    /// The work of an item, and what comes to it for each job; `None` where nothing is known.
    fn means(&self) -> Option<(f64, f64)> {
        (self.items > 0).then(|| ((self.work / self.items as f64).max(1e-4), self.around / self.jobs as f64))
    }
}

/// Items that are sent together, and again if they are lost.
#[derive(Clone)]
struct Batch {
    from: usize,
    to: usize,
    earlier: u32,
    paused: Duration,
}

struct Running {
    number: usize,
    batch: Batch,
    since: Instant,
    cancel: Cancel,
}

/// A job to send.
pub(super) struct Job {
    number: usize,
    batch: Batch,
    since: Instant,
    pub(super) items: std::ops::Range<usize>,
    pub(super) cancel: Cancel,
}

/// What a thread does next.
pub(super) enum Next {
    Send(Job),
    /// Nothing is to be done before this time is over.
    Wait(Duration),
    Over,
}

impl Queue {
    pub(super) fn new(count: usize, launcher: &Launcher) -> Self {
        Self {
            launcher: launcher.clone(),
            items: vec![None; count],
            fresh: 0,
            again: Vec::new(),
            running: Vec::new(),
            attempts: Vec::new(),
            refused: None,
            gave_up: false,
            count: 0,
            done: Done::default(),
            losses: 0,
        }
    }

    pub(super) fn next(&mut self, now: Instant) -> Next {
        if self.refused.is_some() || self.gave_up {
            return Next::Over;
        }
        let ready = self.again.iter().position(|(when, _)| *when <= now);
        let batch = if let Some(ready) = ready {
            self.again.swap_remove(ready).1
        } else if self.fresh < self.items.len() {
            let from = self.fresh;
            self.fresh += self.size();
            Batch { from, to: self.fresh, earlier: 0, paused: Duration::ZERO }
        } else if let Some(batch) = self.straggler(now) {
            batch
        } else {
            return self.pause(now).map_or(Next::Over, Next::Wait);
        };
        self.count += 1;
        let (number, cancel) = (self.count, Cancel::default());
        self.running.push(Running { number, batch: batch.clone(), since: now, cancel: cancel.clone() });
        Next::Send(Job { number, items: batch.from..batch.to, batch, since: now, cancel })
    }

    /// How many items the next job gets. Large jobs waste less on starting, small ones leave less to wait for at the end: with
    /// R of work left, and k for each job, jobs of T take R k / T and T, which is least at the root of R k. k is what
    /// starting costs this machine, or a worker's pause between two jobs as a share of all workers. All workers get some.
    fn size(&self) -> usize {
        let left = self.items.len() - self.fresh;
        let Some((each, around)) = self.done.means() else { return FIRST.min(left) };
        let (rest, jobs) = (each * left as f64, self.launcher.jobs.get() as f64);
        let cost = (LAUNCH / self.launcher.cores.get() as f64).max(around / jobs);
        let wanted = (rest * cost).sqrt().min(rest / jobs).max(LEAST);
        ((wanted / each - 1e-9).ceil() as usize).clamp(1, left)
    }

    /// How long a job of so many items may take before it is late.
    fn patience(&self, items: usize) -> Duration {
        let expected = self.done.means().map(|(each, around)| LATE * (around + each * items as f64));
        let late = expected.map_or(UNKNOWN, |s| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX));
        late.max(self.launcher.straggler)
    }

    /// A job that takes far longer than it should: perhaps its machine is gone. It runs on beside its copy.
    fn straggler(&self, now: Instant) -> Option<Batch> {
        let is_alone = |r: &&Running| self.running.iter().filter(|o| o.batch.from == r.batch.from).count() == 1;
        let is_late = |r: &&Running| now.duration_since(r.since) > self.patience(r.batch.to - r.batch.from);
        let batch = self.running.iter().filter(is_late).filter(is_alone).min_by_key(|r| r.since)?.batch.clone();
        Some(Batch { earlier: batch.earlier + 1, ..batch })
    }

    /// The time until a job may be sent again, or is late; `None` if nothing is left.
    fn pause(&self, now: Instant) -> Option<Duration> {
        if self.running.is_empty() && self.again.is_empty() {
            return None;
        }
        let again = self.again.iter().map(|(when, _)| when.saturating_duration_since(now));
        let late = self
            .running
            .iter()
            .filter_map(|r| self.patience(r.batch.to - r.batch.from).checked_sub(now.duration_since(r.since)));
        // A moment more, as a job is late after its time.
        Some(again.chain(late).min().map_or(LOOK, |pause| LOOK.min(pause + Duration::from_millis(1))))
    }

    /// Takes the answer to a job.
    pub(super) fn ended(&mut self, job: &Job, answer: Answer, now: Instant) {
        self.running.retain(|r| r.number != job.number);
        let Batch { from, to, earlier, paused } = job.batch;
        let wall = now.duration_since(job.since);
        let mut attempt = LaunchAttempt {
            items: to - from,
            first: from,
            earlier,
            host: None,
            wall,
            work: Duration::ZERO,
            paused,
            lost: None,
        };
        let copies = || self.running.iter().filter(move |r| r.batch.from == from);
        match answer {
            Answer::Done { host, work, replies } => {
                copies().for_each(|copy| copy.cancel.set());
                self.again.retain(|(_, batch)| batch.from != from);
                for (item, reply) in self.items[from..to].iter_mut().zip(replies) {
                    item.get_or_insert(LaunchedItem { reply, host: host.clone() });
                }
                self.done.jobs += 1;
                self.done.items += to - from;
                self.done.work += work.as_secs_f64();
                self.done.around += wall.saturating_sub(work).as_secs_f64();
                attempt.host = Some(host);
                attempt.work = work;
            }
            Answer::Refused(why) => {
                self.running.iter().for_each(|r| r.cancel.set());
                attempt.lost = Some(why.why().to_owned());
                self.refused = Some(why);
            }
            Answer::Lost(why) => {
                let needed = self.items[from].is_none() && copies().next().is_none();
                attempt.lost = Some(if self.items[from].is_some() { "another copy was faster".into() } else { why });
                self.losses += usize::from(self.items[from].is_none());
                if needed && earlier + 1 < self.launcher.tries {
                    // Jobs that were lost together do not come back together.
                    let spread = Duration::from_millis(7 * (job.number as u64 % 16));
                    let paused = self.launcher.pause * 6_u32.pow(earlier.min(8)) + spread;
                    self.again.push((now + paused, Batch { from, to, earlier: earlier + 1, paused }));
                }
                self.gave_up = self.done.items == 0 && self.losses >= self.launcher.jobs.get().max(6);
                if self.gave_up {
                    self.running.iter().for_each(|r| r.cancel.set());
                }
            }
        }
        self.attempts.push(attempt);
    }

    pub(super) fn finish(self) -> Launched {
        let gave_up = !self.items.is_empty() && self.items.iter().all(Option::is_none);
        Launched { items: self.items, attempts: self.attempts, refused: self.refused, gave_up }
    }
}

#[cfg(test)]
mod tests;
