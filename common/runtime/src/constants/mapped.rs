//! The bytes of a mapped file from some place on.
use memmap2::{Mmap, UncheckedAdvice};
use std::{ops::Deref, sync::Arc};

/// A mapped file, or its end. Nobody writes it.
#[derive(Debug, Clone)]
pub(crate) struct Mapped {
    map: Arc<Mmap>,
    start: usize,
}

impl Mapped {
    /// The file from `start` on, which lies within it.
    pub(crate) fn new(map: Arc<Mmap>, start: usize) -> Self {
        Self { map, start }
    }

    /// Gives the pages of a piece of it back to the system; they come back when they are read. Other memory stays.
    pub(crate) fn release(&self, piece: &[u8]) {
        let address = piece.as_ptr() as usize;
        let Some(offset) = address.checked_sub(self.map.as_ptr() as usize) else { return };
        if offset + piece.len() > self.map.len() {
            return;
        }
        // SAFETY: pages of a file that is mapped to be read only. Where the system does not take them, nothing is lost.
        let _ = unsafe { self.map.unchecked_advise_range(UncheckedAdvice::DontNeed, offset, piece.len()) };
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map[self.start..]
    }
}
