//! Observers of dispatches: the profiler and the recorder.
use crate::{
    AlignedBytes, CapturedDispatch, DispatchRecord,
    commands::Kernel,
    constants::Constants,
    device::{Device, DeviceRange, KernelCall},
    interpret::Observer,
    record::CapturedBinding,
};
use halyard_diag::Result;
use std::{collections::BTreeMap, sync::Arc};

fn timed(device: &mut dyn Device, call: KernelCall<'_>) -> Result<u64> {
    let took = device.time(call, 1)?;
    Ok(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX))
}

/// Times every dispatch.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    pub(crate) records: Vec<DispatchRecord>,
}

impl Observer for Profile {
    fn dispatch(&mut self, device: &mut dyn Device, call: KernelCall<'_>) -> Result<()> {
        let KernelCall { kernel, bindings, constants, workgroups } = call;
        let nanos = timed(device, call)?;
        let bindings = bindings.iter().map(|b| b.bytes).collect();
        self.records.push(DispatchRecord { kernel, workgroups, constants: constants.to_vec(), bindings, nanos });
        Ok(())
    }
}

/// The key of equal work: kernel, constants, binding sizes. They determine the workgroup count.
type Key = (usize, Vec<i64>, Vec<u64>);

/// Keeps the first dispatch of each kind with the contents of its buffers.
pub(crate) struct Capture<'a> {
    pub(crate) kernels: &'a [Kernel],
    pub(crate) constants: &'a Arc<Constants>,
    /// The ranges on the device.
    pub(crate) on_device: &'a [DeviceRange],
    pub(crate) seen: BTreeMap<Key, usize>,
    pub(crate) captured: Vec<CapturedDispatch>,
}

impl Capture<'_> {
    /// Returns the constant that contains a range, and the offset. Constants are not copied: their addresses do not
    /// change.
    fn constant(&self, span: DeviceRange) -> Option<(u32, u64)> {
        let mut spans = self.on_device.iter().enumerate();
        spans.find_map(|(i, constant)| Some((i as u32, constant.offset_of(span).filter(|_| span.bytes > 0)?)))
    }

    fn keep(&self, device: &mut dyn Device, kernel: usize, bindings: &[DeviceRange]) -> Result<Vec<CapturedBinding>> {
        device.finish()?;
        let mut kept = Vec::new();
        for (i, &span) in bindings.iter().enumerate() {
            let written = self.kernels[kernel].bindings[i];
            kept.push(if let Some(same) = bindings[..i].iter().position(|&b| b == span) {
                CapturedBinding::Same(same)
            } else if let Some((constant, offset)) = self.constant(span).filter(|_| !written) {
                CapturedBinding::Constant { constant, offset, bytes: span.bytes }
            } else {
                let mut bytes = AlignedBytes::zeroed(span.bytes as usize);
                device.read(span, &mut bytes)?;
                CapturedBinding::Owned(bytes)
            });
        }
        Ok(kept)
    }
}

impl Observer for Capture<'_> {
    fn dispatch(&mut self, device: &mut dyn Device, call: KernelCall<'_>) -> Result<()> {
        let KernelCall { kernel, bindings, constants, workgroups } = call;
        let binding_bytes: Vec<u64> = bindings.iter().map(|b| b.bytes).collect();
        let key = (kernel, constants.to_vec(), binding_bytes.clone());
        let index = match self.seen.get(&key) {
            Some(&index) => index,
            None => {
                let bindings = self.keep(device, kernel, bindings)?;
                let constants = constants.to_vec();
                self.captured.push(CapturedDispatch {
                    kernel,
                    workgroups,
                    constants,
                    binding_bytes,
                    occurrences: 0,
                    nanos: 0,
                    written: self.kernels[kernel].bindings.clone(),
                    bindings,
                    weights: self.constants.clone(),
                });
                self.seen.insert(key, self.captured.len() - 1);
                self.captured.len() - 1
            }
        };
        let nanos = timed(device, call)?;
        self.captured[index].occurrences += 1;
        self.captured[index].nanos += nanos;
        Ok(())
    }
}
