//! Ctrl-C ends the search, not the tool: the winners so far are written. A second one ends the tool.
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Whether the search is to end.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches for the signals from now on.
    pub(crate) fn watch() -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // The default comes first: it acts once the flag is set. What cannot be registered is as it was.
            let _ = flag::register_conditional_default(signal, asked.clone());
            let _ = flag::register(signal, asked.clone());
        }
        Self(asked)
    }

    /// Whether the signal came.
    pub(crate) fn came(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
