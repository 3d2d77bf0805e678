//! Job slots: a limit on what runs at once, shared with `make -j` where this process runs below it, and with its
//! children.
use crate::{
    cleanup,
    jobs::{JobServer, Token},
};
use jobserver::{Acquired, Client, FromEnvErrorKind};
use std::{
    num::NonZeroUsize,
    process::Command,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A number of tokens for which any pipe has room.
const MOST: usize = 4096;
/// The interval at which a thread that waits for a token checks whether it is still needed.
const POLL: Duration = Duration::from_millis(10);

/// A limit on what runs at once. Clones share it.
#[derive(Debug, Clone)]
pub struct Slots {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Free slots of our own. With a job server there is one: each process may do one thing without a token.
    free: Mutex<usize>,
    freed: Condvar,
    server: Server,
    limit: usize,
    unreachable: AtomicBool,
}

#[derive(Debug)]
enum Server {
    /// The one that `make`, cargo or ninja above us has.
    Above(Client),
    /// This process's own job server, which its children use, too.
    Own(Arc<JobServer>),
    /// No job server: all slots belong to this process, and children do not share them.
    None,
}

/// The right to run one thing; given back when dropped, also when a signal ends the process.
#[derive(Debug)]
pub struct Slot {
    shared: Arc<Shared>,
    /// A token of the job server, held by the cleanup; `None` for our own slot.
    token: Option<u64>,
}

impl Slots {
    /// Uses the given number of slots; otherwise those of the job server that `MAKEFLAGS` names; otherwise one per
    /// CPU. If `MAKEFLAGS` names a job server that cannot be reached (`make` hides it from recipes that are not marked
    /// with `+`), there is one slot, as in a sub-make.
    pub fn new(jobs: Option<NonZeroUsize>) -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let inherited = if jobs.is_none() { inherited() } else { Inherited::None };
        match inherited {
            // How many tokens there are is not to be known; what waits for one costs little.
            Inherited::Server(client) => Self::with(Server::Above(client), cpus.max(64), false),
            Inherited::Hidden => Self::with(Server::None, 1, true),
            Inherited::None => {
                let limit = jobs.map_or(cpus, NonZeroUsize::get).min(MOST);
                let server = JobServer::new(limit - 1).map_or(Server::None, |server| Server::Own(Arc::new(server)));
                Self::with(server, limit, false)
            }
        }
    }

    fn with(server: Server, limit: usize, unreachable: bool) -> Self {
        let own = if matches!(server, Server::None) { limit } else { 1 };
        let shared = Shared {
            free: Mutex::new(own),
            freed: Condvar::new(),
            server,
            limit,
            unreachable: AtomicBool::new(unreachable),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Returns the number of threads that can be useful: the limit, or many below a job server.
    pub fn limit(&self) -> usize {
        self.shared.limit
    }

    /// Whether a job server is announced that cannot be reached; true once, so that one message is printed.
    pub fn is_unreachable(&self) -> bool {
        self.shared.unreachable.swap(false, Ordering::SeqCst)
    }

    /// Passes the job server of these slots to a child.
    pub(crate) fn lend(&self, command: &mut Command) {
        // Children inherit what `make` passed, unchanged.
        if let Server::Own(server) = &self.shared.server {
            server.lend(command);
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

    /// Takes a slot, if one is free now.
    pub fn try_acquire(&self) -> Option<Slot> {
        let mut free = self.shared.free();
        if *free > 0 {
            *free -= 1;
            return Some(Slot { shared: self.shared.clone(), token: None });
        }
        let token = cleanup::hold(|| self.shared.server.token())?;
        Some(Slot { shared: self.shared.clone(), token: Some(token) })
    }

    /// Waits for a slot; gives up with `None` when `stop` says that none is needed any more (asked now and then).
    pub fn acquire_unless(&self, stop: impl Fn() -> bool) -> Option<Slot> {
        let mut free = self.shared.free();
        while *free == 0 {
            if stop() {
                return None;
            }
            if let Some(token) = cleanup::hold(|| self.shared.server.token()) {
                return Some(Slot { shared: self.shared.clone(), token: Some(token) });
            }
            free = self.shared.freed.wait_timeout(free, POLL).unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(Slot { shared: self.shared.clone(), token: None })
    }
}

impl Server {
    fn token(&self) -> Option<Box<dyn Send>> {
        match self {
            Self::Own(server) => server.take().map(|token: Token| Box::new(token) as Box<dyn Send>),
            Self::Above(client) => take(client).map(|token| Box::new(token) as Box<dyn Send>),
            Self::None => None,
        }
    }
}

impl Shared {
    fn free(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        match self.token {
            Some(token) => cleanup::release(token),
            None => *self.shared.free() += 1,
        }
        self.shared.freed.notify_one();
    }
}

/// A token, if the job server has one now. A server that fails is as good as one without tokens.
fn take(server: &Client) -> Option<Acquired> {
    match server.try_acquire() {
        Ok(token) => token,
        // Some kernels cannot read a pipe without blocking; look first, then.
        Err(_) => (server.available().ok()? > 0).then(|| server.acquire().ok()).flatten(),
    }
}

enum Inherited {
    Server(Client),
    /// A job server is announced but not passed to this process.
    Hidden,
    None,
}

/// The job server of `make`, cargo or ninja above us.
fn inherited() -> Inherited {
    // SAFETY: the descriptors named in MAKEFLAGS are checked to be pipes; nothing else of this process uses them.
    match unsafe { Client::from_env_ext(true) }.client {
        Ok(client) => Inherited::Server(client),
        Err(e) => match e.kind() {
            FromEnvErrorKind::NoEnvVar | FromEnvErrorKind::NoJobserver => Inherited::None,
            _ => Inherited::Hidden,
        },
    }
}

#[cfg(test)]
mod tests;
