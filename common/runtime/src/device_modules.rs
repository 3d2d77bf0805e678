//! The modules of a program: code for devices other than the CPU, section `.hal.modules`.
use crate::{
    AlignedBytes,
    commands::{DeviceCode, HostProgram, KernelCode},
};
use halyard_diag::{Error, Result};

/// The contents of the section.
#[derive(Debug)]
pub(crate) struct DeviceModules(AlignedBytes);

impl DeviceModules {
    /// Checks that all modules lie in the section, and are what they are said to be.
    pub(crate) fn new(section: &[u8], host_program: &HostProgram) -> Result<Self> {
        let this = Self(AlignedBytes::copy_of(section));
        for kernel in &host_program.kernels {
            for variant in &kernel.variants {
                let KernelCode::Device(code) = &variant.code else { continue };
                let wrong = match this.find(code) {
                    None => Some("lies outside its section"),
                    Some(module) => (!code.format.begins(module)).then_some("is none"),
                };
                if let Some(why) = wrong {
                    let format = code.format;
                    return Err(Error::input(format!(
                        "the program is damaged: the {format} module of kernel `{}` {why}",
                        kernel.export
                    ))
                    .code("damaged-program"));
                }
            }
        }
        Ok(this)
    }

    /// Returns the module of a kernel.
    pub(crate) fn get(&self, code: &DeviceCode) -> &[u8] {
        self.find(code).expect("checked when it was loaded")
    }

    fn find(&self, code: &DeviceCode) -> Option<&[u8]> {
        let start = usize::try_from(code.offset).ok()?;
        self.0.get(start..start.checked_add(usize::try_from(code.bytes).ok()?)?)
    }
}

#[cfg(test)]
mod tests;
