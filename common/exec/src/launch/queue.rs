//! Decides which items are sent next, how many at once, and when they are lost.
use super::{Answer, LaunchAttempt, Launched, LaunchedItem, Launcher};
use crate::Cancel;
use std::time::{Duration, Instant};

/// The least work of a job, where there is enough of it.
const LEAST: Duration = Duration::from_millis(100);
/// The first jobs hold so many items: nothing is known of them yet.
const FIRST: usize = 4;

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
    refused: Option<String>,
    gave_up: bool,
    /// Numbers for jobs.
    count: usize,
    /// Of jobs that succeeded: their items, the time of the work, and that around it.
    done: (usize, Duration, Duration),
    longest: Duration,
    losses: usize,
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
    Wait,
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
            done: (0, Duration::ZERO, Duration::ZERO),
            longest: Duration::ZERO,
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
            return if self.running.is_empty() && self.again.is_empty() { Next::Over } else { Next::Wait };
        };
        self.count += 1;
        let (number, cancel) = (self.count, Cancel::default());
        self.running.push(Running { number, batch: batch.clone(), since: now, cancel: cancel.clone() });
        Next::Send(Job { number, items: batch.from..batch.to, batch, since: now, cancel })
    }

    /// How many items the next job gets: enough for 100 ms of work and for twice what starting it takes; more while there are
    /// many, as the time of starting is then used better, but no more than a fair part of what is left.
    fn size(&self) -> usize {
        let left = self.items.len() - self.fresh;
        let (items, work, around) = self.done;
        let least = if items == 0 {
            FIRST
        } else {
            let each = work.as_secs_f64() / items as f64;
            let jobs = self.attempts.iter().filter(|a| a.lost.is_none()).count().max(1);
            let wanted = LEAST.as_secs_f64().max(2.0 * around.as_secs_f64() / jobs as f64);
            (wanted / each.max(1e-4)).ceil() as usize
        };
        let fair = left / (2 * self.launcher.jobs.get());
        fair.clamp(least, 8 * least).clamp(1, left)
    }

    /// A job that takes far longer than others: perhaps its machine is gone. It runs on beside its copy.
    fn straggler(&self, now: Instant) -> Option<Batch> {
        let patience = self.launcher.straggler.max(5 * self.longest);
        let is_alone = |r: &&Running| self.running.iter().filter(|o| o.batch.from == r.batch.from).count() == 1;
        let late = self.running.iter().filter(|r| now.duration_since(r.since) > patience);
        let batch = late.filter(is_alone).min_by_key(|r| r.since)?.batch.clone();
        Some(Batch { earlier: batch.earlier + 1, ..batch })
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
                self.done.0 += to - from;
                self.done.1 += work;
                self.done.2 += wall.saturating_sub(work);
                self.longest = self.longest.max(wall);
                attempt.host = Some(host);
                attempt.work = work;
            }
            Answer::Refused(why) => {
                self.running.iter().for_each(|r| r.cancel.set());
                attempt.lost = Some(why.clone());
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
                self.gave_up = self.done.0 == 0 && self.losses >= self.launcher.jobs.get().max(6);
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
