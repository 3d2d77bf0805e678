//! Scratch memory of kernels, one per thread; `hal_scratch_t` of `include/halyard/kernel.h`.
//!
//! The need of a kernel is not known in advance: it allocates memory itself if the scratch memory is too small, and
//! records how much it wants. After that there is enough for all threads.
use crate::ALIGNMENT;

/// The part that a kernel sees.
#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct Record {
    /// The memory, aligned to [`ALIGNMENT`].
    data: *mut u8,
    bytes: u64,
    /// The size that a kernel wanted, written by kernels.
    wanted: u64,
    /// Written by kernels: what they have put there for the next workgroup of the dispatch; 0 is nothing.
    held: u64,
}

/// A unit of memory, aligned to [`crate::ALIGNMENT`].
#[repr(align(64))]
#[derive(Debug)]
struct Line(#[expect(dead_code, reason = "kernels have it")] [u8; ALIGNMENT]);

/// The initial size in bytes: the system provides pages on first use.
const FIRST: u64 = 4 << 20;

/// The scratch memory of a thread.
#[derive(Debug)]
pub(super) struct Scratch {
    record: Record,
    /// The memory, uninitialised.
    memory: Vec<Line>,
}

// SAFETY: the pointer is to memory that it owns.
unsafe impl Send for Scratch {}

impl Default for Scratch {
    fn default() -> Self {
        let record = Record { data: std::ptr::null_mut(), bytes: 0, wanted: 0, held: 0 };
        let mut scratch = Self { record, memory: Vec::new() };
        scratch.grow(FIRST);
        scratch
    }
}

impl Scratch {
    /// Forgets what it holds: another dispatch begins. Gives what its workgroups are shown.
    pub(super) fn begin(&mut self) -> *mut Record {
        self.record.held = 0;
        &raw mut self.record
    }

    /// Returns the size that kernels wanted and did not have, in bytes; 0 if none.
    pub(super) fn wanted(&self) -> u64 {
        if self.record.wanted > self.record.bytes { self.record.wanted } else { 0 }
    }

    /// Sees to it that there are so many bytes. Where memory is exhausted there are none: kernels go on to help themselves.
    pub(super) fn grow(&mut self, bytes: u64) {
        if bytes <= self.record.bytes {
            return;
        }
        // The old memory goes first.
        self.memory = Vec::new();
        let lines = usize::try_from(bytes.div_ceil(ALIGNMENT as u64)).unwrap_or(usize::MAX);
        let there = self.memory.try_reserve_exact(lines).is_ok();
        self.record.data = self.memory.as_mut_ptr().cast();
        self.record.bytes = if there { bytes } else { 0 };
        self.record.wanted = 0;
    }
}
