//! Buffers between pages that nobody may touch: what a kernel reads or writes beyond them faults at once.
use halyard_diag::{Error, Result};
use std::{
    ptr,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Buffers start at multiples of this, as the kernel ABI promises.
const ALIGNMENT: usize = 64;
/// What stands in the bytes around a buffer that cannot be made unreadable.
const CANARY: u8 = 0xc5;

/// Where a buffer lies in its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// It begins where a page that is not there ends.
    Start,
    /// It ends, up to alignment, where a page that is not there begins.
    End,
    /// At the least alignment that kernels may rely on.
    Unaligned,
}

/// A buffer.
pub(crate) struct Buffer {
    map: *mut u8,
    mapped: usize,
    at: usize,
    bytes: usize,
}

impl Buffer {
    /// A buffer that can hold this many bytes. Errors: no memory.
    pub(crate) fn new(bytes: usize) -> Result<Self> {
        let page = page();
        let mapped = (bytes + ALIGNMENT).next_multiple_of(page) + 2 * page;
        // SAFETY: new memory of this process; the result is checked.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                mapped,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        // SAFETY: the pages in the middle of what was just mapped.
        let open = map != libc::MAP_FAILED
            && unsafe { libc::mprotect(map.byte_add(page), mapped - 2 * page, libc::PROT_READ | libc::PROT_WRITE) }
                == 0;
        if !open {
            return Err(Error::environment(format!("cannot allocate {bytes} bytes")).code("out-of-memory"));
        }
        Ok(Self { map: map.cast(), mapped, at: page, bytes })
    }

    /// How many bytes it can hold.
    pub(crate) fn room(&self) -> usize {
        self.mapped - 2 * page() - ALIGNMENT
    }

    /// Lays it out for so many bytes, at most as many as it can hold. What stood in it is lost; around it stand canaries.
    pub(crate) fn lay_out(&mut self, bytes: usize, side: Side) {
        let (page, end) = (page(), self.mapped - page());
        self.bytes = bytes;
        self.at = match side {
            Side::Start => page,
            Side::Unaligned => page + ALIGNMENT,
            Side::End => (end - bytes) / ALIGNMENT * ALIGNMENT,
        };
        for range in self.slack() {
            // SAFETY: a range of the open pages.
            unsafe { ptr::write_bytes(self.map.add(range.start), CANARY, range.len()) };
        }
    }

    /// The bytes next to it: as many as a line of cache has, within the open pages.
    fn slack(&self) -> [std::ops::Range<usize>; 2] {
        let end = self.at + self.bytes;
        let below = self.at.saturating_sub(ALIGNMENT).max(page());
        [below..self.at, end..(end + ALIGNMENT).min(self.mapped - page())]
    }

    /// The address of its first byte.
    pub(crate) fn address(&self) -> u64 {
        self.map as u64 + self.at as u64
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: open pages that live as long as this; kernels do not run meanwhile.
        unsafe { std::slice::from_raw_parts(self.map.add(self.at), self.bytes) }
    }

    /// Its bytes.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: open pages that live as long as this; kernels do not run meanwhile.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.at), self.bytes) }
    }

    /// Lets nobody write to it, or everybody again.
    pub(crate) fn protect(&self, on: bool) {
        let how = if on { libc::PROT_READ } else { libc::PROT_READ | libc::PROT_WRITE };
        // SAFETY: the open pages of this buffer.
        unsafe { libc::mprotect(self.map.add(page()).cast(), self.mapped - 2 * page(), how) };
    }

    /// The first byte next to it that was overwritten, counted from its start.
    pub(crate) fn overrun(&self) -> Option<i64> {
        let hit = |range: std::ops::Range<usize>| {
            // SAFETY: ranges of the open pages.
            range.into_iter().find(|&i| unsafe { *self.map.add(i) } != CANARY)
        };
        self.slack().into_iter().find_map(hit).map(|i| i as i64 - self.at as i64)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, unmapped once.
        unsafe { libc::munmap(self.map.cast(), self.mapped) };
    }
}

fn page() -> usize {
    static PAGE: AtomicUsize = AtomicUsize::new(0);
    match PAGE.load(Ordering::Relaxed) {
        0 => {
            // SAFETY: a system call on a number.
            let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
            PAGE.store(page, Ordering::Relaxed);
            page
        }
        page => page,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_buffer_is_watched() {
        for (side, bytes) in [
            (Side::Start, 100),
            (Side::End, 100),
            (Side::End, 4096),
            (Side::Start, 0),
            (Side::End, 4097),
            (Side::Unaligned, 4096),
        ] {
            let mut buffer = Buffer::new(5000).unwrap();
            buffer.lay_out(bytes, side);
            assert_eq!(buffer.address() % 64, 0);
            buffer.bytes_mut().fill(7);
            assert_eq!((buffer.bytes().len(), buffer.overrun()), (bytes, None));
            for range in buffer.slack() {
                for i in range {
                    // SAFETY: within the open pages.
                    unsafe { *buffer.map.add(i) ^= 1 };
                    assert_eq!(buffer.overrun(), Some(i as i64 - buffer.at as i64));
                    // SAFETY: the same byte.
                    unsafe { *buffer.map.add(i) ^= 1 };
                }
            }
        }
    }
}
