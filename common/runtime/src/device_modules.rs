//! The modules of a program: code for devices other than the CPU, section `.hal.modules`.
use crate::{
    AlignedBytes,
    schedule::{CodeFormat, DeviceCode, HostProgram, KernelCode},
};
use halyard_diag::{Error, Result};

/// The contents of the section.
#[derive(Debug)]
pub(crate) struct DeviceModules(AlignedBytes);

impl DeviceModules {
    /// Checks that all modules lie in the section, and are what they are said to be.
    pub(crate) fn new(section: &[u8], schedule: &HostProgram) -> Result<Self> {
        let this = Self(AlignedBytes::copy_of(section));
        for kernel in &schedule.kernels {
            for variant in &kernel.variants {
                let KernelCode::Device(code) = &variant.code else { continue };
                let wrong =
                    this.find(code).map_or(Some("lies outside its section"), |module| problem(code.format, module));
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

    /// The module of a kernel.
    pub(crate) fn get(&self, code: &DeviceCode) -> &[u8] {
        self.find(code).expect("checked when it was loaded")
    }

    fn find(&self, code: &DeviceCode) -> Option<&[u8]> {
        let start = usize::try_from(code.offset).ok()?;
        self.0.get(start..start.checked_add(usize::try_from(code.bytes).ok()?)?)
    }
}

/// What is wrong with a module at first sight; drivers are not robust against anything else than what they expect.
fn problem(format: CodeFormat, module: &[u8]) -> Option<&'static str> {
    let fine = match format {
        // The magic number in the order of bytes of this machine, and a header of five words.
        CodeFormat::Spirv => {
            module.len() >= 20 && module.len().is_multiple_of(4) && module.starts_with(&0x0723_0203u32.to_le_bytes())
        }
        CodeFormat::Ptx => {
            std::str::from_utf8(module).is_ok_and(|text| text.contains(".version") && !text.contains('\0'))
        }
        CodeFormat::Cubin => module.len() >= 64 && module.starts_with(b"\x7fELF"),
        CodeFormat::Fatbin => module.len() >= 16 && module.starts_with(&0xba55_ed50u32.to_le_bytes()),
    };
    (!fine).then_some("is none")
}

#[cfg(test)]
mod tests;
