//! The machine code of kernels.
use crate::DeviceKind;
use halyard_diag::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where the code of a variant is.
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

impl CodeFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Spirv, Self::Ptx, Self::Cubin, Self::Fatbin];

    /// As the exchange form names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spirv => "spirv",
            Self::Ptx => "ptx",
            Self::Cubin => "cubin",
            Self::Fatbin => "fatbin",
        }
    }

    /// The format of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

impl CodeFormat {
    /// Whether a module begins as this format does; drivers are not robust against anything else than what they expect.
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

    /// The kind of device that runs it.
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

/// How a constant is passed where constants are packed (the push constants of Vulkan).
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
    /// What the module is written in.
    pub format: CodeFormat,
    /// Where it starts in the section `.hal.modules`, a multiple of 64. Several kernels may be in one module.
    pub offset: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The name of the kernel in it.
    pub entry: String,
    /// The threads of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
    /// Shared memory of a workgroup, in bytes: in SPIR-V what the module declares, for CUDA what it gets beyond that.
    pub shared_memory: u32,
    /// One per constant that is passed; load-time constants are not among them.
    pub constants: Vec<ConstantWidth>,
    /// What the code takes, in order, where that is not the kernel ABI.
    pub arguments: Option<Vec<DeviceArgument>>,
}

/// What code by hand takes at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceArgument {
    /// A buffer.
    Buffer {
        /// Which binding of the kernel.
        binding: u32,
        /// The number that a shader has for it.
        number: u32,
    },
    /// A number: a product of constants of the kernel.
    Number {
        /// The part that is known.
        factor: i64,
        /// The constants.
        of: Vec<u32>,
        /// Whether it is the upper half of the product.
        high: bool,
        /// The bits that it must fit into, as a signed integer; `None` takes it as it is.
        fits: Option<u32>,
    },
}

impl DeviceCode {
    /// The numbers to pass, of the constants of a dispatch. Errors: one that does not fit.
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

fn too_large(kernel: &str, value: &str, bits: u32) -> Error {
    let text = format!("kernel `{kernel}` gets the number {value}, and takes it in {bits} bits");
    Error::input(text).code("too-large").hint("use smaller tensors, or a kernel that takes more bits")
}
