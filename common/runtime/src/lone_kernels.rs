//! Kernels that are ready to run on a device without a program, and buffers that they share.
use crate::{
    AlignedBytes,
    device::{Device, DeviceRange, KernelCall},
};
use halyard_diag::Result;
use std::time::Duration;

/// Kernels on a device, by their positions in the list that they were made of, and buffers there.
#[derive(Debug)]
pub struct LoneKernels {
    // Before the modules: the device may read them as long as it lives.
    pub(crate) device: Box<dyn Device>,
    pub(crate) buffers: Vec<Option<DeviceRange>>,
    pub(crate) _modules: Vec<AlignedBytes>,
}

/// A buffer of [`LoneKernels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoneBuffer(usize);

/// The part of a buffer that a kernel gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoneBinding {
    /// The buffer.
    pub buffer: LoneBuffer,
    /// Where the part begins, in bytes. At a multiple of 256 it is bound as it is, else devices may bind a copy.
    pub offset: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// What a kernel is called with on a device.
#[derive(Debug, Clone)]
pub struct LoneDispatch {
    /// A part of a buffer for each binding.
    pub bindings: Vec<LoneBinding>,
    /// The constants of the kernel ABI, load-time constants at the end.
    pub constants: Vec<i64>,
    /// The workgroup counts.
    pub workgroups: [u32; 3],
}

impl LoneDispatch {
    fn call<'a>(&'a self, kernel: usize, bindings: &'a [DeviceRange]) -> KernelCall<'a> {
        KernelCall { kernel, bindings, constants: &self.constants, workgroups: self.workgroups }
    }
}

impl LoneKernels {
    /// Makes a buffer; what is in it is undefined. Errors: no memory.
    pub fn allocate(&mut self, bytes: u64) -> Result<LoneBuffer> {
        let range = self.device.allocate(bytes.max(4).next_multiple_of(4))?;
        self.buffers.push(Some(range));
        Ok(LoneBuffer(self.buffers.len() - 1))
    }

    /// Frees a buffer, which must not be used any more.
    pub fn free(&mut self, buffer: LoneBuffer) {
        if let Some(range) = self.buffers.get_mut(buffer.0).and_then(Option::take) {
            self.device.free(range);
        }
    }

    /// Writes bytes into a buffer. Errors: what the driver says.
    pub fn write(&mut self, buffer: LoneBuffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let part = self.part(LoneBinding { buffer, offset, bytes: bytes.len() as u64 });
        if bytes.is_empty() { Ok(()) } else { self.device.write(part, bytes) }
    }

    /// Reads bytes of a buffer, after all that was run. Errors: what the driver says.
    pub fn read(&mut self, buffer: LoneBuffer, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let part = self.part(LoneBinding { buffer, offset, bytes: bytes.len() as u64 });
        if bytes.is_empty() { Ok(()) } else { self.device.read(part, bytes) }
    }

    /// Runs a kernel once, and waits. Errors: what the driver says.
    pub fn run(&mut self, kernel: usize, dispatch: &LoneDispatch) -> Result<()> {
        if !dispatch.workgroups.contains(&0) {
            let parts = self.parts(dispatch);
            self.device.dispatch(dispatch.call(kernel, &parts))?;
        }
        self.device.finish()?;
        self.device.end_call();
        Ok(())
    }

    /// Runs a kernel a number of times in a row; gives the time that this took on the device. Errors: what the driver says.
    pub fn time(&mut self, kernel: usize, dispatch: &LoneDispatch, times: usize) -> Result<Duration> {
        let parts = self.parts(dispatch);
        let took = self.device.time(dispatch.call(kernel, &parts), times)?;
        self.device.finish()?;
        self.device.end_call();
        Ok(took)
    }

    fn parts(&self, dispatch: &LoneDispatch) -> Vec<DeviceRange> {
        dispatch.bindings.iter().map(|&b| self.part(b)).collect()
    }

    fn part(&self, binding: LoneBinding) -> DeviceRange {
        let range = self.buffers[binding.buffer.0].expect("a freed buffer is not used");
        range.part(binding.offset, binding.bytes).expect("parts lie in their buffers")
    }
}
