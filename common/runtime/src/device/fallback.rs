//! Runs kernels that have no code for the device on the CPU: copies their inputs to the host and their results back.
use super::{Cpu, Device, DeviceRange, HostUse, KernelCall};
use crate::AlignedBytes;
use halyard_diag::Result;
use std::time::Duration;

/// A device whose missing kernels the CPU runs.
#[derive(Debug)]
pub(crate) struct Fallback {
    device: Box<dyn Device>,
    cpu: Cpu,
    /// For each kernel, whether the CPU runs it.
    on_cpu: Vec<bool>,
    /// The constants, with their ranges on the device and on the host.
    constants: Vec<(DeviceRange, DeviceRange)>,
    /// Buffers for reuse.
    spare: Vec<AlignedBytes>,
}

/// Memory of the device that a kernel touches, on the host.
struct Piece {
    on_device: DeviceRange,
    on_host: DeviceRange,
    written: bool,
    memory: Option<AlignedBytes>,
}

impl Fallback {
    /// `on_cpu` says which kernels the CPU runs, whose kernels have the same numbers.
    pub(crate) fn new(device: Box<dyn Device>, cpu: Cpu, on_cpu: Vec<bool>) -> Self {
        Self { device, cpu, on_cpu, constants: Vec::new(), spare: Vec::new() }
    }

    /// Copies the bindings of a kernel to the host. Ranges that overlap are copied together.
    fn bring(&mut self, kernel: usize, bindings: &[DeviceRange]) -> Result<(Vec<Piece>, Vec<DeviceRange>)> {
        let mut ranges: Vec<(DeviceRange, bool)> = Vec::new();
        for (i, &span) in bindings.iter().enumerate().filter(|(_, s)| s.bytes > 0) {
            let mut range = (span, self.cpu.writes(kernel, i));
            while let Some(at) = ranges.iter().position(|(r, _)| r.overlaps(range.0)) {
                let (other, written) = ranges.swap_remove(at);
                let address = other.address.min(range.0.address);
                range = (DeviceRange { address, bytes: other.end().max(range.0.end()) - address }, written || range.1);
            }
            ranges.push(range);
        }
        let mut pieces = Vec::new();
        for (on_device, written) in ranges {
            let constant = self.constants.iter().find_map(|(device, host)| {
                let offset = device.offset_of(on_device).filter(|_| !written)?;
                host.part(offset, on_device.bytes)
            });
            pieces.push(match constant {
                Some(on_host) => Piece { on_device, on_host, written, memory: None },
                None => {
                    let mut memory = self.memory(on_device.bytes)?;
                    self.device.read(on_device, &mut memory[..on_device.bytes as usize])?;
                    let on_host = DeviceRange { address: memory.as_ptr() as u64, bytes: on_device.bytes };
                    Piece { on_device, on_host, written, memory: Some(memory) }
                }
            });
        }
        let place = |span: &DeviceRange| {
            let found = pieces.iter().find_map(|p| p.on_host.part(p.on_device.offset_of(*span)?, span.bytes));
            found.unwrap_or(DeviceRange { address: crate::ALIGNMENT as u64, bytes: 0 })
        };
        let spans = bindings.iter().map(place).collect();
        Ok((pieces, spans))
    }

    fn memory(&mut self, bytes: u64) -> Result<AlignedBytes> {
        if let Some(at) =
            self.spare.iter().position(|m| m.len() as u64 >= bytes && m.len() as u64 / 4 <= bytes.max(1024))
        {
            return Ok(self.spare.swap_remove(at));
        }
        usize::try_from(bytes).ok().and_then(AlignedBytes::try_zeroed).ok_or_else(|| super::cpu::no_memory(bytes))
    }

    /// Copies the results of a kernel to the device.
    fn give_back(&mut self, pieces: Vec<Piece>) -> Result<()> {
        for piece in pieces {
            let Some(memory) = piece.memory else { continue };
            if piece.written {
                self.device.write(piece.on_device, &memory[..piece.on_device.bytes as usize])?;
            }
            if self.spare.len() < 8 {
                self.spare.push(memory);
            }
        }
        Ok(())
    }
}

impl Device for Fallback {
    fn threads(&self) -> usize {
        self.cpu.threads()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DeviceRange> {
        self.device.allocate(bytes)
    }

    fn free(&mut self, span: DeviceRange) {
        self.device.free(span);
    }

    fn constants(&mut self, list: &[&[u8]]) -> Result<Vec<DeviceRange>> {
        let spans = self.device.constants(list)?;
        let host = list.iter().map(|bytes| DeviceRange { address: bytes.as_ptr() as u64, bytes: bytes.len() as u64 });
        self.constants = spans.iter().copied().zip(host).collect();
        Ok(spans)
    }

    fn import(&mut self, bytes: &[u8]) -> Result<DeviceRange> {
        self.device.import(bytes)
    }

    fn import_mut(&mut self, bytes: &mut [u8], keep: bool) -> Result<DeviceRange> {
        self.device.import_mut(bytes, keep)
    }

    fn copy(&mut self, source: DeviceRange, target: DeviceRange) -> Result<()> {
        self.device.copy(source, target)
    }

    fn fill(&mut self, target: DeviceRange, element: &[u8]) -> Result<()> {
        self.device.fill(target, element)
    }

    fn read(&mut self, source: DeviceRange, bytes: &mut [u8]) -> Result<()> {
        self.device.read(source, bytes)
    }

    fn write(&mut self, target: DeviceRange, bytes: &[u8]) -> Result<()> {
        self.device.write(target, bytes)
    }

    fn dispatch(&mut self, call: KernelCall<'_>) -> Result<()> {
        if !self.on_cpu[call.kernel] {
            return self.device.dispatch(call);
        }
        let (pieces, spans) = self.bring(call.kernel, call.bindings)?;
        self.cpu.dispatch(KernelCall { bindings: &spans, ..call })?;
        self.cpu.finish()?;
        self.give_back(pieces)
    }

    fn time(&mut self, call: KernelCall<'_>, times: usize) -> Result<Duration> {
        if !self.on_cpu[call.kernel] {
            return self.device.time(call, times);
        }
        let (pieces, spans) = self.bring(call.kernel, call.bindings)?;
        let took = self.cpu.time(KernelCall { bindings: &spans, ..call }, times)?;
        self.give_back(pieces)?;
        Ok(took)
    }

    fn host(&mut self, span: DeviceRange, use_: HostUse) -> Result<DeviceRange> {
        self.device.host(span, use_)
    }

    fn host_wrote(&mut self, span: DeviceRange, memory: DeviceRange) -> Result<()> {
        self.device.host_wrote(span, memory)
    }

    fn host_done(&mut self) {
        self.device.host_done();
    }

    fn finish(&mut self) -> Result<()> {
        self.device.finish()
    }

    fn falls_back(&self, kernel: usize) -> bool {
        self.on_cpu[kernel]
    }

    fn end_call(&mut self) {
        self.device.end_call();
    }
}
