//! Host memory aligned as kernels expect.
use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    fmt,
    ops::{Deref, DerefMut},
    ptr::NonNull,
};

/// The alignment of every buffer that a kernel sees, in bytes (a cache line, and the widest vector).
pub const ALIGNMENT: usize = 64;

/// Bytes that start at a multiple of [`ALIGNMENT`].
pub struct AlignedBytes {
    pointer: NonNull<u8>,
    len: usize,
}

// SAFETY: it owns plain bytes.
unsafe impl Send for AlignedBytes {}
// SAFETY: shared access only reads.
unsafe impl Sync for AlignedBytes {}

impl AlignedBytes {
    /// Zeroed bytes. Aborts, as `Vec` does, when memory is exhausted.
    pub fn zeroed(len: usize) -> Self {
        Self::try_zeroed(len).unwrap_or_else(|| handle_alloc_error(Self::layout(len)))
    }

    /// Zeroed bytes; `None` when memory is exhausted.
    pub fn try_zeroed(len: usize) -> Option<Self> {
        if len > isize::MAX as usize - ALIGNMENT {
            return None;
        }
        // SAFETY: the layout has a size of at least one.
        let pointer = unsafe { alloc_zeroed(Self::layout(len)) };
        NonNull::new(pointer).map(|pointer| Self { pointer, len })
    }

    /// A copy of bytes.
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut copy = Self::zeroed(bytes.len());
        copy.copy_from_slice(bytes);
        copy
    }

    /// Whole cache lines, so that a kernel that loads a full vector at the end stays inside.
    fn layout(len: usize) -> Layout {
        let size = len.max(1).checked_next_multiple_of(ALIGNMENT).expect("the size fits the address space");
        Layout::from_size_align(size, ALIGNMENT).expect("the size fits the address space")
    }
}

impl Drop for AlignedBytes {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.pointer.as_ptr(), Self::layout(self.len)) }
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: `len` initialised bytes are owned.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.len) }
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: `len` initialised bytes are owned, exclusively borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.len) }
    }
}

impl Clone for AlignedBytes {
    fn clone(&self) -> Self {
        Self::copy_of(self)
    }
}

impl PartialEq for AlignedBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len)
    }
}
