//! Calling work off.
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that says that results are not needed any more: children that were given it are ended. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Calls it off.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it was called off.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
