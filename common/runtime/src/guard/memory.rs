//! Memory of one binding, in separate pages.
use super::Damage;
use crate::{ALIGNMENT, crash::Place, device::DeviceRange};
use halyard_diag::{Error, Result};
use std::ptr;

/// The size of inaccessible memory on both sides: longer than typical index errors.
const AROUND: usize = 64 << 20;
/// The fill between the binding and the end of its pages.
const CANARY: [u8; 2] = [0xc5, 0x3a];

/// The side on which inaccessible memory follows the binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Behind the binding, as near as its alignment lets.
    End,
    /// Inaccessible memory directly before it.
    Start,
}

/// A binding between memory that cannot be touched.
#[derive(Debug)]
pub(super) struct Pages {
    reserved: *mut u8,
    size: usize,
    /// The accessible pages.
    pages: *mut u8,
    length: usize,
    /// The offset of the binding in them.
    offset: usize,
    bytes: usize,
    side: Side,
}

impl Pages {
    /// New memory, which holds zeros. Errors: there is none.
    pub(super) fn new(bytes: u64, side: Side) -> Result<Self> {
        let none =
            || Error::environment(format!("cannot allocate {bytes} bytes with guards around")).code("out-of-memory");
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let bytes = usize::try_from(bytes).ok().filter(|&n| n < isize::MAX as usize / 2).ok_or_else(none)?;
        // Kernels may load the whole cache line that they end in.
        let lines = bytes.next_multiple_of(ALIGNMENT);
        let length = lines.max(1).next_multiple_of(page);
        let size = length + 2 * AROUND;
        let offset = if side == Side::End { length - lines } else { 0 };
        // SAFETY: new memory, of which the middle is made accessible.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let reserved = libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0);
            if reserved == libc::MAP_FAILED {
                return Err(none());
            }
            let reserved = reserved.cast::<u8>();
            let this = Self { reserved, size, pages: reserved.add(AROUND), length, offset, bytes, side };
            if libc::mprotect(this.pages.cast(), length, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                return Err(none());
            }
            this.pages.write_bytes(CANARY[side as usize], offset);
            this.pages.add(offset + bytes).write_bytes(CANARY[side as usize], length - offset - bytes);
            Ok(this)
        }
    }

    pub(super) fn span(&self) -> DeviceRange {
        DeviceRange { address: self.pages as u64 + self.offset as u64, bytes: self.bytes as u64 }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.all()[self.offset..][..self.bytes]
    }

    /// Returns the bytes. Must be called before [`Pages::protect`].
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: initialised memory of ours, exclusively borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.pages.add(self.offset), self.bytes) }
    }

    /// Makes the binding read-only.
    pub(super) fn protect(&mut self) -> Result<()> {
        // SAFETY: pages of ours.
        if unsafe { libc::mprotect(self.pages.cast(), self.length, libc::PROT_READ) } != 0 {
            return Err(Error::environment("memory cannot be protected").code("out-of-memory"));
        }
        Ok(())
    }

    /// Returns the write outside the binding that is nearest to it.
    pub(super) fn damage(&self) -> Damage {
        let changed = |b: &u8| *b != CANARY[self.side as usize];
        let (before, rest) = self.all().split_at(self.offset);
        if let Some(at) = rest[self.bytes..].iter().position(changed) {
            return Some(Place::After(at as u64));
        }
        let last = before.iter().rposition(changed)?;
        // The start of the range that was written.
        let start = before[..last].iter().rposition(|b| !changed(b)).map_or(0, |kept| kept + 1);
        Some(Place::Before((before.len() - start) as u64))
    }

    fn all(&self) -> &[u8] {
        // SAFETY: initialised memory of ours.
        unsafe { std::slice::from_raw_parts(self.pages, self.length) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the reserved range; nothing else refers to it any more.
        unsafe { libc::munmap(self.reserved.cast(), self.size) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_around_a_binding_is_found() {
        for bytes in [0, 1, 63, 64, 400, 4096, 5000] {
            for side in [Side::End, Side::Start] {
                let mut pages = Pages::new(bytes, side).unwrap();
                let start = pages.span().address;
                assert_eq!((start % 64, pages.span().bytes), (0, bytes));
                pages.bytes_mut().fill(1);
                assert_eq!(pages.damage(), None, "{bytes} bytes, {side:?}");
                let (before, after) = (pages.offset, pages.length - pages.offset - bytes as usize);
                // On the side of the guard, less than a cache line of the pages is unused.
                assert!(if side == Side::End { after < 64 } else { before == 0 }, "{bytes} bytes, {side:?}");
                if before > 4 {
                    // SAFETY: inside the pages.
                    unsafe { ((start - 4) as *mut u32).write_unaligned(0) };
                    assert_eq!(pages.damage(), Some(Place::Before(4)));
                }
                if after > 0 {
                    // SAFETY: inside the pages.
                    unsafe { ((start + bytes) as *mut u8).write(0) };
                    assert_eq!(pages.damage(), Some(Place::After(0)));
                }
            }
        }
    }

    #[test]
    fn memory_that_cannot_be_is_an_error() {
        assert!(Pages::new(u64::MAX, Side::End).is_err() && Pages::new(1 << 60, Side::Start).is_err());
    }
}
