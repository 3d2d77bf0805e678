//! Runs kernels on devices whose memory has no pages that fault.
//!
//! Each binding lies between canaries in a buffer of its own. The kernel gets those behind it, too: a driver that keeps kernels within what is
//! bound would hide that they leave it. It runs twice, with other bytes in the canaries and in the results: what it reads out of bounds,
//! leaves out, or leaves to chance is different then.
use crate::{
    device_export::DeviceExport,
    kernel::{Call, Kernel, device_property},
    trial::POISON,
};
use halyard_diag::{Error, Result};
use halyard_runtime::{LoneBinding, LoneBuffer, LoneDevice, LoneDispatch, LoneKernels};
use std::cell::RefCell;

/// Canaries before a binding: as many as any device aligns bindings to.
const BEFORE: usize = 256;
/// Canaries behind it.
const BEHIND: usize = 4096;
/// What the canaries are in both runs.
const CANARIES: [u8; 2] = [0xc5, 0x3a];

/// A kernel on a device with memory of its own.
pub(crate) struct DeviceKernel<'a> {
    pub(crate) device: &'a LoneDevice,
    /// The kernels of the device, of which this is one.
    pub(crate) kernels: &'a RefCell<LoneKernels>,
    pub(crate) number: usize,
    pub(crate) export: &'a DeviceExport,
    pub(crate) name: String,
}

impl Kernel for DeviceKernel<'_> {
    fn run(&self, call: &Call<'_>) -> Result<()> {
        let first = self.run_once(call, CANARIES[0], POISON)?;
        let second = self.run_once(call, CANARIES[1], !POISON)?;
        for (i, (first, second)) in first.iter().zip(&second).enumerate() {
            if let Some(at) = first.iter().zip(second).position(|(a, b)| a != b) {
                let what = format!(
                    "kernel `@{}` is not deterministic: of the same inputs it makes another byte {at} of {} the second time",
                    self.name, call.names[i]
                );
                let why = "it leaves elements of the result out, reads beyond its buffers, or its threads race";
                return Err(Error::input(what).code("unstable-result").note(why));
            }
        }
        for ((binding, bytes), _) in call.bindings.iter().zip(&first).zip(&self.export.written).filter(|(_, w)| **w) {
            // SAFETY: live pages of the buffer, which nobody else looks at meanwhile; those that are not written may be read-only.
            let to = unsafe { std::slice::from_raw_parts_mut(binding.address() as *mut u8, bytes.len()) };
            to.copy_from_slice(bytes);
        }
        Ok(())
    }

    fn property(&self, name: &str) -> i64 {
        device_property(self.device, name)
    }
}

impl DeviceKernel<'_> {
    /// Runs it with these canaries, and this in results; gives the bytes of all bindings afterwards. Errors: what the driver says; it writes
    /// where it must not.
    fn run_once(&self, call: &Call<'_>, canary: u8, poison: u8) -> Result<Vec<Vec<u8>>> {
        let mut buffers = Vec::new();
        let ran = self.run_in(&mut buffers, call, canary, poison);
        let mut kernels = self.kernels.borrow_mut();
        buffers.into_iter().for_each(|buffer| kernels.free(buffer));
        ran
    }

    fn run_in(&self, buffers: &mut Vec<LoneBuffer>, call: &Call<'_>, canary: u8, poison: u8) -> Result<Vec<Vec<u8>>> {
        let mut kernels = self.kernels.borrow_mut();
        // A buffer that is as large as the device takes is bound without what is behind it.
        let most = usize::try_from(self.device.limits().binding_bytes).unwrap_or(usize::MAX);
        let mut bindings = Vec::new();
        for (i, binding) in call.bindings.iter().enumerate() {
            let bytes = binding.bytes();
            // Kernels may write whole words.
            let words = bytes.len().next_multiple_of(4);
            let buffer = kernels.allocate((BEFORE + words + BEHIND) as u64)?;
            buffers.push(buffer);
            let mut all = vec![canary; BEFORE + words + BEHIND];
            match i < self.export.arguments_bound {
                true => all[BEFORE..BEFORE + bytes.len()].copy_from_slice(bytes),
                false => all[BEFORE..BEFORE + bytes.len()].fill(poison),
            }
            kernels.write(buffer, 0, &all)?;
            let bound = if self.export.asks_for_sizes { bytes.len() } else { (words + BEHIND).min(most.max(words)) };
            bindings.push(LoneBinding { buffer, offset: BEFORE as u64, bytes: bound as u64 });
        }
        let dispatch = LoneDispatch { bindings, constants: call.constants.to_vec(), workgroups: call.workgroups };
        kernels.run(self.number, &dispatch)?;
        let mut found = Vec::new();
        for ((i, binding), &buffer) in call.bindings.iter().enumerate().zip(buffers.iter()) {
            let bytes = binding.bytes();
            let words = bytes.len().next_multiple_of(4);
            let mut all = vec![0; BEFORE + words + BEHIND];
            kernels.read(buffer, 0, &mut all)?;
            self.untouched(&all, bytes.len(), canary, &call.names[i])?;
            let after = all[BEFORE..BEFORE + bytes.len()].to_vec();
            if !self.export.written[i] && after != bytes {
                let what = format!("kernel `@{}` writes to {}, which it may only read", self.name, call.names[i]);
                return Err(Error::input(what).code("out-of-bounds"));
            }
            found.push(after);
        }
        Ok(found)
    }

    /// Errors: a canary around a binding of so many bytes was overwritten.
    fn untouched(&self, all: &[u8], bytes: usize, canary: u8, name: &str) -> Result<()> {
        let around = (0..BEFORE).chain(BEFORE + bytes.next_multiple_of(4)..all.len());
        match around.into_iter().find(|&at| all[at] != canary) {
            Some(at) => {
                let at = at as i64 - BEFORE as i64;
                let what = format!("kernel `@{}` writes byte {at} of {name}, which has {bytes} bytes", self.name);
                Err(Error::input(what).code("out-of-bounds"))
            }
            None => Ok(()),
        }
    }
}
