//! Where the kernels of an export run while they are judged.
use super::entrant::{EntrantCode, EntrantKernel};
use crate::{
    device_export::DeviceExport,
    device_kernel::DeviceKernel,
    fault,
    kernel::{CpuKernel, Kernel},
};
use halyard_diag::{Error, Result};
use halyard_runtime::{LoneDevice, LoneKernels};
use std::cell::RefCell;

/// The place of several kernels of an export.
pub(super) enum Stand<'a> {
    /// They are functions of this process.
    Cpu,
    /// They are on a device, in this order.
    Device { device: &'a LoneDevice, kernels: RefCell<LoneKernels>, exports: Vec<&'a DeviceExport> },
}

impl<'a> Stand<'a> {
    /// Makes the kernels of an export ready. Errors: what the device lacks, or its driver says.
    pub(super) fn new(name: &str, device: Option<&'a LoneDevice>, all: &[&'a EntrantKernel]) -> Result<Self> {
        let Some(device) = device else { return Ok(Self::Cpu) };
        let of = |entrant: &&'a EntrantKernel| match &entrant.code {
            EntrantCode::Device(export) => Ok(export),
            EntrantCode::Cpu { .. } => Err(Error::input("its code is for CPUs").code("bad-object")),
        };
        let exports = all.iter().map(of).collect::<Result<Vec<&DeviceExport>>>()?;
        let codes = exports.iter().map(|e| e.code(device)).collect();
        // Drivers translate the code now, and some crash on what they do not expect.
        let kernels = fault::watching(name, &[], || device.kernels(codes))?;
        Ok(Self::Device { device, kernels: RefCell::new(kernels), exports })
    }

    /// The device, if it is one.
    pub(super) fn device(&self) -> Option<&'a LoneDevice> {
        match self {
            Self::Cpu => None,
            Self::Device { device, .. } => Some(device),
        }
    }

    /// One of the kernels.
    pub(super) fn kernel(&self, name: &str, number: usize, entrant: &EntrantKernel) -> Box<dyn Kernel + '_> {
        match (self, &entrant.code) {
            (Self::Device { device, kernels, exports }, _) => {
                Box::new(DeviceKernel { device, kernels, number, export: exports[number], name: name.to_owned() })
            }
            (Self::Cpu, EntrantCode::Cpu { address, .. }) => Box::new(CpuKernel::new(*address)),
            (Self::Cpu, EntrantCode::Device(_)) => unreachable!("code for devices enters where there is a device"),
        }
    }
}
