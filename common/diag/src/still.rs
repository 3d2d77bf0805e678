//! Keeps threads that draw progress and forks apart.
use std::sync::{Mutex, MutexGuard, PoisonError};

static STILL: Mutex<()> = Mutex::new(());

/// Locks drawing. A thread holds it while it draws progress, and a fork holds it while it happens: a child that is
/// forked in the middle of drawing would find the locks of standard error and of the progress bar taken for ever. Both
/// sides of a fork drop it.
pub fn still() -> MutexGuard<'static, ()> {
    STILL.lock().unwrap_or_else(PoisonError::into_inner)
}
