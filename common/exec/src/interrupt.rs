//! Lets a tool handle a signal itself, because its results so far are worth writing.
use crate::cleanup;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::atomic::{AtomicBool, Ordering};

static DEFERRED: AtomicBool = AtomicBool::new(false);
static CAME: AtomicBool = AtomicBool::new(false);

/// The first SIGINT or SIGTERM, which does not end the process but is to be asked for. The second one ends it.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt(());

impl Interrupt {
    /// Watches for the signals from now on.
    pub fn watch() -> Self {
        DEFERRED.store(true, Ordering::SeqCst);
        cleanup::watch();
        Self(())
    }

    /// Whether one of the signals arrived.
    pub fn came(self) -> bool {
        CAME.load(Ordering::SeqCst)
    }
}

/// Whether the tool handles a signal itself.
pub(crate) fn takes(signal: i32) -> bool {
    [SIGINT, SIGTERM].contains(&signal) && DEFERRED.load(Ordering::SeqCst) && !CAME.swap(true, Ordering::SeqCst)
}
