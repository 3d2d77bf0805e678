//! Memory of a device.
use super::driver::check;
use crate::device::DeviceRange;
use cudarc::driver::sys;
use halyard_diag::{Error, Result};
use std::collections::BTreeMap;

/// Sizes are rounded up to this: kernels may load whole vectors at the end.
const GRAIN: u64 = 256;
/// Memory that no call used this many times in a row is given back.
const KEEP_CALLS: u64 = 8;

/// Allocated memory, and which of it the next call may use.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The address and size of each allocation.
    allocated: BTreeMap<u64, u64>,
    /// Free ones for inputs and outputs, with the call that used them last.
    spare: Vec<(DeviceRange, u64)>,
    call: u64,
}

impl Memory {
    /// Makes memory. Errors: there is none left.
    pub(super) fn allocate(&mut self, bytes: u64) -> Result<DeviceRange> {
        let size = bytes.max(1).checked_next_multiple_of(GRAIN).and_then(|n| usize::try_from(n).ok());
        let none = || {
            Error::environment(format!("cannot allocate {bytes} bytes: the device is out of memory"))
                .code("out-of-memory")
        };
        let size = size.ok_or_else(none)?;
        let mut address = 0;
        // SAFETY: the context is current.
        let mut code = unsafe { sys::cuMemAlloc_v2(&mut address, size) };
        if code == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY && !self.spare.is_empty() {
            self.spare.drain(..).collect::<Vec<_>>().into_iter().for_each(|(span, _)| self.free(span));
            // SAFETY: as above.
            code = unsafe { sys::cuMemAlloc_v2(&mut address, size) };
        }
        if code == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let (mut free, mut total) = (0, 0);
            // SAFETY: the context is current.
            unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
            return Err(none().note(format!("{free} of its {total} bytes are free")));
        }
        check(code, &format!("allocate {bytes} bytes"))?;
        self.allocated.insert(address, size as u64);
        Ok(DeviceRange { address, bytes })
    }

    /// Frees memory that nothing uses any more.
    pub(super) fn free(&mut self, span: DeviceRange) {
        if self.allocated.remove(&span.address).is_some() {
            // SAFETY: it was allocated, and nothing uses it.
            unsafe { sys::cuMemFree_v2(span.address) };
        }
    }

    /// Memory for this call: what an earlier one had if it has the size.
    pub(super) fn take(&mut self, bytes: u64) -> Result<DeviceRange> {
        let size = bytes.max(1).next_multiple_of(GRAIN);
        match self.spare.iter().position(|(s, _)| self.allocated.get(&s.address) == Some(&size)) {
            Some(at) => Ok(DeviceRange { bytes, ..self.spare.remove(at).0 }),
            None => self.allocate(bytes),
        }
    }

    /// The call ends: its memory is free for the next one, in the same order.
    pub(super) fn end_call(&mut self, used: impl Iterator<Item = DeviceRange>) {
        self.call += 1;
        let (old, kept) = self.spare.drain(..).partition(|(_, last)| last + KEEP_CALLS < self.call);
        self.spare = kept;
        let old: Vec<(DeviceRange, u64)> = old;
        old.into_iter().for_each(|(span, _)| self.free(span));
        let call = self.call;
        self.spare.extend(used.map(|span| (span, call)));
    }

    /// Frees all memory.
    pub(super) fn free_all(&mut self) {
        self.spare.clear();
        for (address, _) in std::mem::take(&mut self.allocated) {
            // SAFETY: it was allocated, and nothing uses it.
            unsafe { sys::cuMemFree_v2(address) };
        }
    }
}
