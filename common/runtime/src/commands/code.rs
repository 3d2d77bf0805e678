//! The machine code of kernels.
use crate::DeviceKind;
use halyard_diag::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The location of a variant's code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelCode {
    /// A function of the shared object, for the CPU.
    Host {
        /// Its symbol.
        symbol: String,
    },
    /// A module for another device.
    Device(DeviceCode),
}

/// The format of a module, which determines the devices that run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CodeFormat {
    /// SPIR-V for Vulkan.
    Spirv,
    /// Text for CUDA.
    Ptx,
    /// Machine code for CUDA.
    Cubin,
    /// Several of them for CUDA, of which the driver takes one.
    Fatbin,
}

/// The words before the first instruction of a SPIR-V module.
const SPIRV_HEADER: usize = 5;
/// `OpArrayLength` of SPIR-V: how many elements there are in what is bound.
const ARRAY_LENGTH: u32 = 68;

impl CodeFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Spirv, Self::Ptx, Self::Cubin, Self::Fatbin];

    /// Returns the name in the exchange form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spirv => "spirv",
            Self::Ptx => "ptx",
            Self::Cubin => "cubin",
            Self::Fatbin => "fatbin",
        }
    }

    /// Returns the format of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

impl CodeFormat {
    /// Whether a module begins as this format does; drivers may crash on other input.
    pub(crate) fn begins(self, module: &[u8]) -> bool {
        match self {
            // The magic number in the order of bytes of this machine, and a header of five words.
            Self::Spirv => {
                let words = module.len() >= 20 && module.len().is_multiple_of(4);
                words && module.starts_with(&0x0723_0203u32.to_le_bytes())
            }
            Self::Ptx => std::str::from_utf8(module).is_ok_and(|t| t.contains(".version") && !t.contains('\0')),
            Self::Cubin => module.len() >= 64 && module.starts_with(b"\x7fELF"),
            Self::Fatbin => module.len() >= 16 && module.starts_with(&0xba55_ed50u32.to_le_bytes()),
        }
    }

    /// Whether code in a module may ask how large the buffers are that it is given. What cannot be read counts as if it did.
    pub fn asks_for_sizes(self, module: &[u8]) -> bool {
        if self != Self::Spirv {
            // The others get addresses.
            return false;
        }
        let words: Vec<u32> = module.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let mut at = SPIRV_HEADER;
        while let Some(word) = words.get(at) {
            let (length, code) = ((word >> 16) as usize, word & 0xffff);
            if length == 0 || code == ARRAY_LENGTH {
                return true;
            }
            at += length;
        }
        false
    }

    /// Returns the kind of device that runs it.
    pub fn device(self) -> DeviceKind {
        match self {
            Self::Spirv => DeviceKind::Vulkan,
            Self::Ptx | Self::Cubin | Self::Fatbin => DeviceKind::Cuda,
        }
    }
}

impl fmt::Display for CodeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The width of a constant where constants are packed (the push constants of Vulkan).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConstantWidth {
    /// An `index`: 32 bits, signed, which must be enough.
    Index,
    /// The low 32 bits.
    Word,
    /// All 64 bits, aligned to 8 bytes.
    Long,
}

impl ConstantWidth {
    /// Its bytes, which are its alignment, too.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Index | Self::Word => 4,
            Self::Long => 8,
        }
    }

    /// The size in bytes of packed constants, each naturally aligned.
    pub fn packed_bytes(list: &[Self]) -> u32 {
        list.iter().fold(0, |at, w| at.next_multiple_of(w.bytes()) + w.bytes())
    }
}

/// A kernel of a module for a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCode {
    /// The format of the module.
    pub format: CodeFormat,
    /// The offset in the section `.hal.modules`, a multiple of 64. Several kernels may be in one module.
    pub offset: u64,
    /// The size of the module in bytes.
    pub bytes: u64,
    /// The name of the kernel in it.
    pub entry: String,
    /// The threads of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
    /// Shared memory of a workgroup, in bytes: in SPIR-V what the module declares, for CUDA what it gets beyond that.
    pub shared_memory: u32,
    /// The width of each constant that is passed, without load-time constants.
    pub constants: Vec<ConstantWidth>,
    /// The code's arguments in order; `None` for the kernel ABI.
    pub arguments: Option<Vec<DeviceArgument>>,
}

/// An argument of a hand-written kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceArgument {
    /// A buffer.
    Buffer {
        /// The index of the kernel's binding.
        binding: u32,
        /// The number that a shader has for it.
        number: u32,
    },
    /// A number: a product of constants of the kernel.
    Number {
        /// The constant factor.
        factor: i64,
        /// The factors that are constants of the kernel.
        of: Vec<u32>,
        /// Whether it is the upper half of the product.
        high: bool,
        /// The width that it must fit into, as a signed integer; `None` passes it unchanged.
        fits: Option<u32>,
    },
}

impl DeviceCode {
    /// The numbers to pass, of the constants of a dispatch. Errors: one that does not fit.
    #[cfg_attr(
        not(any(feature = "cuda", feature = "vulkan")),
        allow(dead_code, reason = "only devices other than the CPU take numbers so")
    )]
    pub(crate) fn numbers(&self, kernel: &str, constants: &[i64], to: &mut Vec<i64>) -> Result<()> {
        let Some(arguments) = &self.arguments else {
            to.extend_from_slice(constants);
            return Ok(());
        };
        for argument in arguments {
            let DeviceArgument::Number { factor, of, high, fits } = argument else { continue };
            let product = of.iter().try_fold(*factor, |n, &i| n.checked_mul(constants[i as usize]));
            let value = match (of.as_slice(), product) {
                // The bits of a float are no number.
                ([only], _) if *factor == 1 => constants[*only as usize],
                (_, Some(product)) => product,
                _ => return Err(too_large(kernel, "more than 64 bits", 64)),
            };
            let value = if *high { value >> 32 } else { value };
            if let Some(bits) = fits.filter(|&bits| value << (64 - bits) >> (64 - bits) != value) {
                return Err(too_large(kernel, &value.to_string(), bits));
            }
            to.push(value);
        }
        Ok(())
    }
}

#[cfg_attr(
    not(any(feature = "cuda", feature = "vulkan")),
    allow(dead_code, reason = "only devices other than the CPU take numbers so")
)]
fn too_large(kernel: &str, value: &str, bits: u32) -> Error {
    let text = format!("kernel `{kernel}` gets the number {value}, and takes it in {bits} bits");
    Error::input(text).code("too-large").hint("use smaller tensors, or a kernel that takes more bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_arrays_are_found() {
        let asks = |instructions: &[u32]| {
            let header = [0x0723_0203, 0x1_0300, 0, 8, 0];
            let module: Vec<u8> = header.iter().chain(instructions).flat_map(|w| w.to_le_bytes()).collect();
            CodeFormat::Spirv.asks_for_sizes(&module)
        };
        // OpCapability Shader; its operand is no instruction.
        assert!(!asks(&[2 << 16 | 17, 68]));
        assert!(asks(&[2 << 16 | 17, 1, 5 << 16 | 68, 1, 2, 3, 0]));
        assert!(asks(&[0]));
        assert!(!CodeFormat::Ptx.asks_for_sizes(b".version 7.0"));
    }
}
