//! A flag that cancels running work.
use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

/// Cancels work whose result is no longer needed: its children are ended. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<OnceLock<Instant>>);

impl Cancel {
    /// Cancels the work.
    pub fn set(&self) {
        self.set_in(Duration::ZERO);
    }

    /// Cancels it unless it is done by then. The earliest deadline counts.
    pub fn set_in(&self, time: Duration) {
        let _ = self.0.set(Instant::now() + time);
    }

    /// Whether the work is cancelled.
    pub fn is_set(&self) -> bool {
        self.0.get().is_some_and(|&when| Instant::now() >= when)
    }
}
