//! The pool of workers, and the assignment of items to them.
use super::{
    How, ItemOutcome, Limits, Loss,
    process::{News, Process, Task},
};
use std::{
    collections::{BTreeSet, VecDeque},
    os::fd::AsRawFd,
    time::{Duration, Instant},
};

/// The interval at which free slots are looked for, while others hold them.
const POLL: Duration = Duration::from_millis(10);

/// How items that take long are reported while they run.
pub(super) struct Slow<'a> {
    /// The time after which an item is reported first. It is reported again each time this has doubled.
    pub(super) after: Duration,
    /// Gets the item and the time.
    pub(super) tell: &'a mut dyn FnMut(usize, Duration),
}

/// Runs all items, and tells of each outcome as it comes; see [`super::isolated_each`].
pub(super) fn run(
    count: usize,
    limits: &Limits,
    slow: Option<Slow<'_>>,
    work: &mut dyn FnMut(usize) -> Vec<u8>,
    tell: &mut dyn FnMut(usize, ItemOutcome<Vec<u8>>),
) {
    let (left, again) = ((0..count).collect(), BTreeSet::new());
    let mut pool = Pool { limits, slow, tell, workers: Vec::new(), left, again, stopped: false };
    loop {
        let waiting = pool.hand_out(work);
        if pool.workers.iter().all(|w| w.task.is_none()) && !waiting {
            break;
        }
        pool.wait(waiting);
        pool.collect();
    }
    Process::dismiss(std::mem::take(&mut pool.workers));
    pool.left.into_iter().for_each(|item| tell(item, ItemOutcome::Skipped));
}

struct Pool<'a, 's> {
    limits: &'a Limits,
    slow: Option<Slow<'s>>,
    tell: &'a mut dyn FnMut(usize, ItemOutcome<Vec<u8>>),
    workers: Vec<Process>,
    /// The items that have not been assigned, in order.
    left: VecDeque<usize>,
    /// The items that were assigned a second time.
    again: BTreeSet<usize>,
    stopped: bool,
}

impl Pool<'_, '_> {
    /// The next item; none if no more is to be assigned.
    fn next(&self) -> Option<usize> {
        self.left.front().copied().filter(|_| !self.stopped)
    }

    fn busy(&self) -> usize {
        self.workers.iter().filter(|w| w.task.is_some()).count()
    }

    /// Assigns items to idle workers and to new ones. Returns whether items wait for a slot.
    fn hand_out(&mut self, work: &mut dyn FnMut(usize) -> Vec<u8>) -> bool {
        while let Some(next) = self.next() {
            if self.busy() >= self.limits.slots.limit() {
                break;
            }
            let Some(slot) = self.limits.slots.try_acquire() else { return true };
            let idle = match self.workers.iter().position(|w| w.task.is_none()) {
                Some(idle) => idle,
                None => match Process::fork(&self.workers, self.limits.memory, work) {
                    Ok(worker) => {
                        self.workers.push(worker);
                        self.workers.len() - 1
                    }
                    // The existing workers do the remaining work.
                    Err(_) if self.busy() > 0 => return false,
                    Err(e) => {
                        let how = How::NotStarted(e.to_string());
                        self.left.pop_front();
                        (self.tell)(next, ItemOutcome::Lost(Loss { how, said: String::new() }));
                        self.stopped = true;
                        return false;
                    }
                },
            };
            let slow_after = self.slow.as_ref().map(|slow| slow.after);
            if self.workers[idle].begin(Task::new(next, self.limits.time, slow_after, slot)) {
                self.left.pop_front();
            } else {
                // It died while it was idle; nothing is lost.
                self.workers.swap_remove(idle).end(None, None);
            }
        }
        false
    }

    /// Waits until a worker says something, a deadline passes, an item is to be reported as slow, or it is time to look for slots.
    fn wait(&self, waiting: bool) {
        let mut polls: Vec<libc::pollfd> = Vec::new();
        for worker in &self.workers {
            for fd in [worker.results.as_raw_fd(), worker.stderr.as_raw_fd()] {
                polls.push(libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
            }
        }
        let tasks = || self.workers.iter().filter_map(|w| w.task.as_ref());
        let next = tasks().flat_map(|task| [task.deadline, task.slow_at()]).flatten().min();
        let until = next.map(|d| d.saturating_duration_since(Instant::now()) + Duration::from_millis(1));
        let timeout = match (until, waiting) {
            (Some(until), true) => Some(until.min(POLL)),
            (Some(until), false) => Some(until),
            (None, true) => Some(POLL),
            (None, false) => None,
        };
        let timeout = timeout.map_or(-1, |t| i32::try_from(t.as_millis()).unwrap_or(i32::MAX));
        // SAFETY: live structures, passed with their number.
        unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, timeout) };
    }

    /// Collects results, and losses of workers that have ended or exceeded their time.
    fn collect(&mut self) {
        let mut i = 0;
        while i < self.workers.len() {
            let worker = &mut self.workers[i];
            let late = worker.task.as_ref().and_then(|t| t.deadline).is_some_and(|d| Instant::now() >= d);
            match worker.listen() {
                News::Result(value, said) => {
                    if let Some(task) = worker.task.take() {
                        (self.tell)(task.item, ItemOutcome::Done { value, said });
                    }
                    i += 1;
                }
                News::None if late => self.lose(i, self.limits.time.map(How::TooSlow)),
                News::None => {
                    self.tell_if_slow(i);
                    i += 1;
                }
                News::Gone => self.lose(i, None),
            }
        }
    }

    fn tell_if_slow(&mut self, index: usize) {
        let (Some(slow), Some(task)) = (&mut self.slow, &mut self.workers[index].task) else { return };
        let Some(after) = task.slow_after.filter(|_| task.slow_at().is_some_and(|at| Instant::now() >= at)) else {
            return;
        };
        task.slow_after = Some(after * 2);
        (slow.tell)(task.item, after);
    }

    fn lose(&mut self, index: usize, how: Option<How>) {
        let mut worker = self.workers.swap_remove(index);
        let task = worker.task.take();
        let loss = worker.end(how, self.limits.memory);
        let Some(task) = task else { return };
        let killed = loss.how == How::Signal(libc::SIGKILL);
        if killed && self.limits.retry_killed && !self.stopped && self.again.insert(task.item) {
            return self.left.push_front(task.item);
        }
        (self.tell)(task.item, ItemOutcome::Lost(loss));
        if !self.limits.keep_going {
            self.stopped = true;
            for worker in std::mem::take(&mut self.workers) {
                worker.end(None, None);
            }
        }
    }
}
