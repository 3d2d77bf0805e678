//! A CUDA device that was found.
use super::driver::check;
use crate::commands::CodeFormat;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use halyard_diag::Result;

/// A device that programs may run on.
#[derive(Debug)]
pub(super) struct CudaAdapter {
    pub(super) index: u32,
    handle: sys::CUdevice,
    name: String,
    /// The compute capability: major and minor.
    capability: (i32, i32),
    memory: u64,
}

impl CudaAdapter {
    /// Queries a device. The driver must be initialised and list it.
    pub(super) fn new(index: u32) -> Result<Self> {
        let mut handle = 0;
        // SAFETY: the driver was started.
        check(unsafe { sys::cuDeviceGet(&mut handle, index as i32) }, "find the device")?;
        let mut name = [0u8; 256];
        check(
            // SAFETY: the buffer has the length that is passed.
            unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as i32 - 1, handle) },
            "read the device's name",
        )?;
        let end = name.iter().position(|&b| b == 0).unwrap_or(0);
        let mut memory = 0;
        // SAFETY: the handle is that of a device.
        check(unsafe { sys::cuDeviceTotalMem_v2(&mut memory, handle) }, "read the device's memory")?;
        let name = String::from_utf8_lossy(&name[..end]).into_owned();
        let mut found = Self { index, handle, name, capability: (0, 0), memory: memory as u64 };
        let major = found.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
        let minor = found.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        found.capability = (major, minor);
        Ok(found)
    }

    /// The name that its maker gave it, and its architecture.
    pub(super) fn description(&self) -> String {
        format!("{}, {}", self.name, self.architecture())
    }

    /// Returns the size of its memory in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    pub(super) fn handle(&self) -> sys::CUdevice {
        self.handle
    }

    /// A number that the driver knows of it; 0 if it does not.
    pub(super) fn attribute(&self, attribute: Attribute) -> i32 {
        let mut value = 0;
        // SAFETY: the handle is that of a device.
        let code = unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, self.handle) };
        if code == sys::CUresult::CUDA_SUCCESS { value } else { 0 }
    }

    pub(super) fn architecture(&self) -> String {
        format!("sm_{}{}", self.capability.0, self.capability.1)
    }

    /// Whether it runs code for an architecture such as `sm_90`, `sm_90a`, `sm_120f`. PTX is translated for newer
    /// devices; machine code runs on devices of one generation. With a letter it runs on that chip or its family only.
    pub(super) fn runs(&self, architecture: &str, format: CodeFormat) -> bool {
        let Some(number) = architecture.strip_prefix("sm_") else { return false };
        let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let Ok(needed) = digits.parse::<i32>() else { return false };
        let (major, minor) = (needed / 10, needed % 10);
        let newer = self.capability >= (major, minor);
        let family = newer && self.capability.0 == major;
        match &number[digits.len()..] {
            "a" => self.capability == (major, minor),
            "f" => family,
            _ => {
                if format == CodeFormat::Cubin {
                    family
                } else {
                    newer
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_runs_on_what_it_was_made_for() {
        let device = |major, minor| CudaAdapter {
            index: 0,
            handle: 0,
            name: String::new(),
            capability: (major, minor),
            memory: 0,
        };
        let h100 = device(9, 0);
        assert!(h100.runs("sm_80", CodeFormat::Ptx) && h100.runs("sm_90a", CodeFormat::Ptx));
        assert!(!h100.runs("sm_80", CodeFormat::Cubin) && h100.runs("sm_90", CodeFormat::Cubin));
        assert!(!h100.runs("sm_100", CodeFormat::Ptx) && !h100.runs("gfx90a", CodeFormat::Ptx));
        assert!(!device(10, 0).runs("sm_90a", CodeFormat::Ptx) && device(10, 3).runs("sm_100f", CodeFormat::Ptx));
        assert!(device(8, 6).runs("sm_80", CodeFormat::Cubin) && !device(12, 0).runs("sm_100f", CodeFormat::Ptx));
    }
}
