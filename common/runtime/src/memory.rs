//! Host memory with the alignment that kernels expect.
use std::{
    alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error},
    fmt,
    ops::{Deref, DerefMut},
    ptr::NonNull,
};

/// The alignment of every buffer that a kernel sees, in bytes (a cache line, and the widest vector).
pub const ALIGNMENT: usize = 64;

/// A large page, in bytes, where the system has them. Memory of at least two of them starts at one: a kernel that walks
/// down the rows of a large tensor comes to another page with each step.
pub(crate) const LARGE_PAGE: usize = 2 << 20;

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
        if len > isize::MAX as usize - LARGE_PAGE {
            return None;
        }
        let layout = Self::layout(len);
        // SAFETY: the layout has a size of at least one.
        let pointer = unsafe { if layout.align() == ALIGNMENT { alloc_zeroed(layout) } else { alloc_large(layout) } };
        NonNull::new(pointer).map(|pointer| Self { pointer, len })
    }

    /// Copies bytes into aligned memory.
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut copy = Self::zeroed(bytes.len());
        copy.copy_from_slice(bytes);
        copy
    }

    /// Whole cache lines, so that a kernel that loads a full vector at the end stays inside.
    fn layout(len: usize) -> Layout {
        let size = len.max(1).checked_next_multiple_of(ALIGNMENT).expect("the size fits the address space");
        let alignment = if size >= 2 * LARGE_PAGE { LARGE_PAGE } else { ALIGNMENT };
        Layout::from_size_align(size, alignment).expect("the size fits the address space")
    }
}

/// Zeroed memory, in large pages where the system has them. It is asked for them before it is touched.
///
/// # Safety
///
/// The layout must have a size.
unsafe fn alloc_large(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's promise.
    let pointer = unsafe { alloc(layout) };
    if !pointer.is_null() {
        #[cfg(target_os = "linux")]
        // SAFETY: advice on whole pages of an allocation; it changes no contents. A refusal leaves pages as they were.
        unsafe {
            libc::madvise(pointer.cast(), layout.size() / LARGE_PAGE * LARGE_PAGE, libc::MADV_HUGEPAGE)
        };
        // SAFETY: the size is the one that was allocated.
        unsafe { pointer.write_bytes(0, layout.size()) };
    }
    pointer
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
