//! Threads that draw by themselves, and forks.
use std::sync::{Mutex, MutexGuard, PoisonError};

static STILL: Mutex<()> = Mutex::new(());

/// Held by a thread while it draws progress of its own accord, and by who forks while that happens: a fork in the middle of
/// drawing would have the locks of standard error and of the progress bar taken for ever. Both sides of a fork drop it.
pub fn still() -> MutexGuard<'static, ()> {
    STILL.lock().unwrap_or_else(PoisonError::into_inner)
}
