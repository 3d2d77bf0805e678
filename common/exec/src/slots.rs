//! Job slots: a limit on what runs at once, shared with `make -j` where we run below it.
use jobserver::{Acquired, Client};
use std::{
    num::NonZeroUsize,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How often a thread that waits for a job server's token looks whether it is still needed.
const POLL: Duration = Duration::from_millis(10);

/// A limit on what runs at once. Clones share it.
#[derive(Debug, Clone)]
pub struct Slots {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Free slots of our own. Below a job server there is one: each process may do one thing without a token.
    free: Mutex<usize>,
    freed: Condvar,
    own: usize,
    server: Option<Client>,
}

/// The right to run one thing; given back when dropped.
#[derive(Debug)]
pub struct Slot {
    shared: Arc<Shared>,
    /// A token of the job server; `None` for a slot of our own.
    token: Option<Acquired>,
}

impl Slots {
    /// As many slots as asked for; else what the job server named in `MAKEFLAGS` gives; else one per CPU.
    pub fn new(jobs: Option<NonZeroUsize>) -> Self {
        let server = if jobs.is_none() { inherited() } else { None };
        let own = match jobs {
            Some(jobs) => jobs.get(),
            None if server.is_some() => 1,
            None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        };
        Self { shared: Arc::new(Shared { free: Mutex::new(own), freed: Condvar::new(), own, server }) }
    }

    /// How many threads can be of use: the limit, or one per CPU below a job server.
    pub fn limit(&self) -> usize {
        if self.shared.server.is_some() {
            std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
        } else {
            self.shared.own
        }
    }

    /// Waits for a slot.
    pub fn acquire(&self) -> Slot {
        loop {
            if let Some(slot) = self.acquire_unless(|| false) {
                return slot;
            }
        }
    }

    /// Waits for a slot; gives up with `None` when `stop` says that none is needed any more (asked now and then).
    pub fn acquire_unless(&self, stop: impl Fn() -> bool) -> Option<Slot> {
        let mut free = self.shared.free();
        while *free == 0 {
            if stop() {
                return None;
            }
            if let Some(token) = self.shared.server.as_ref().and_then(token) {
                return Some(Slot { shared: self.shared.clone(), token: Some(token) });
            }
            free = self.shared.freed.wait_timeout(free, POLL).unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(Slot { shared: self.shared.clone(), token: None })
    }
}

impl Shared {
    fn free(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // A token gives itself back.
        if self.token.is_none() {
            *self.shared.free() += 1;
            self.shared.freed.notify_one();
        }
    }
}

/// A token, if the job server has one now. A server that fails is as good as one without tokens.
fn token(server: &Client) -> Option<Acquired> {
    match server.try_acquire() {
        Ok(token) => token,
        // Some kernels cannot read a pipe without blocking; look first, then.
        Err(_) => (server.available().ok()? > 0).then(|| server.acquire().ok()).flatten(),
    }
}

/// The job server of `make`, cargo or ninja above us.
fn inherited() -> Option<Client> {
    // SAFETY: the descriptors named in MAKEFLAGS are checked to be pipes; nothing else of this process uses them.
    unsafe { Client::from_env_ext(true) }.client.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_at_once_than_slots() {
        let slots = Slots::new(NonZeroUsize::new(2));
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let _slot = slots.acquire();
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(20));
                    running.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
    }

    #[test]
    fn gives_up_when_told() {
        let slots = Slots::new(NonZeroUsize::new(1));
        let _taken = slots.acquire();
        assert!(slots.acquire_unless(|| true).is_none());
    }

    #[test]
    fn a_job_server_adds_its_tokens_to_the_slot_of_the_process() {
        let server = Client::new(1).unwrap();
        let shared = Shared { free: Mutex::new(1), freed: Condvar::new(), own: 1, server: Some(server) };
        let slots = Slots { shared: Arc::new(shared) };
        let (first, second) = (slots.acquire(), slots.acquire());
        assert!(first.token.is_none() && second.token.is_some());
        assert!(slots.acquire_unless(|| true).is_none());
        drop(second);
        assert!(slots.acquire().token.is_some());
    }
}
