//! What runs the kernels that are timed: threads of this process, or a device.
use super::TimingInputs;
use crate::{memory::Buffer, worker::Stop};
use halyard_diag::Result;
use halyard_runtime::{LoneBuffer, LoneCall, LoneCpu, LoneDispatch, LoneKernels};
use std::{cell::RefCell, ops::Range, time::Duration};

/// Runs kernels by their numbers: the incumbent, the contestant, and the incumbent's twin.
pub(super) enum Runner<'a> {
    /// On the threads that programs have, on the buffers of the inputs themselves.
    Cpu { cpu: Box<LoneCpu>, calls: Vec<LoneCall> },
    /// On a device.
    Device(DeviceRunner<'a>),
}

/// A buffer of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    Argument(usize),
    Result(usize),
}

/// Runs kernels on a device, on copies of the inputs' buffers.
pub(super) struct DeviceRunner<'a> {
    pub(super) kernels: &'a RefCell<LoneKernels>,
    pub(super) calls: Vec<LoneDispatch>,
    /// The copies.
    pub(super) buffers: Vec<(Spot, LoneBuffer)>,
    /// What changed on the host since it was sent; `None`: everything.
    pub(super) changes: Option<Vec<(Spot, Range<usize>)>>,
}

impl Runner<'_> {
    /// Runs a kernel so many times; gives the time that it took. Errors: what the device says.
    pub(super) fn run(&mut self, on: &TimingInputs, kernel: usize, times: usize) -> Result<Duration, Stop> {
        match self {
            // SAFETY: both kernels were checked against the interface; the buffers are live, and nobody else has them.
            Self::Cpu { cpu, calls } => unsafe { cpu.time(kernel, &calls[kernel], times) }.map_err(Stop::Fail),
            Self::Device(device) => {
                device.send(on).map_err(Stop::Fail)?;
                device.kernels.borrow_mut().time(kernel, &device.calls[kernel], times).map_err(Stop::Fail)
            }
        }
    }

    /// Notes that all buffers have new contents.
    pub(super) fn refilled(&mut self) {
        if let Self::Device(device) = self {
            device.changes = None;
        }
    }

    /// Notes that bytes of a buffer are new.
    pub(super) fn changed(&mut self, spot: Spot, bytes: Range<usize>) {
        if let Self::Device(DeviceRunner { changes: Some(changes), .. }) = self {
            changes.push((spot, bytes));
        }
    }

    /// Brings what kernels wrote into the buffers of the inputs. Errors: what the device says.
    pub(super) fn fetch(&mut self, on: &mut TimingInputs) -> Result<(), Stop> {
        let Self::Device(device) = self else { return Ok(()) };
        device.send(on).map_err(Stop::Fail)?;
        let mut kernels = device.kernels.borrow_mut();
        for &(spot, buffer) in &device.buffers {
            kernels.read(buffer, 0, at(on, spot).bytes_mut()).map_err(Stop::Fail)?;
        }
        Ok(())
    }

    /// Whether it is a device.
    pub(super) fn is_device(&self) -> bool {
        matches!(self, Self::Device(_))
    }
}

impl DeviceRunner<'_> {
    /// Sends what changed.
    fn send(&mut self, on: &TimingInputs) -> Result<()> {
        let mut kernels = self.kernels.borrow_mut();
        let host = |spot: Spot| match spot {
            Spot::Argument(i) => on.arguments[i].bytes(),
            Spot::Result(r) => on.results[r].bytes(),
        };
        for &(spot, buffer) in &self.buffers {
            let bytes = host(spot);
            match &self.changes {
                None => kernels.write(buffer, 0, bytes)?,
                Some(changes) => {
                    for (_, range) in changes.iter().filter(|(of, _)| *of == spot) {
                        // Whole words.
                        let (from, to) = (range.start & !3, range.end.next_multiple_of(4).min(bytes.len()));
                        kernels.write(buffer, from as u64, &bytes[from..to])?;
                    }
                }
            }
        }
        self.changes = Some(Vec::new());
        Ok(())
    }
}

fn at(on: &mut TimingInputs, spot: Spot) -> &mut Buffer {
    match spot {
        Spot::Argument(i) => &mut on.arguments[i],
        Spot::Result(r) => &mut on.results[r],
    }
}
