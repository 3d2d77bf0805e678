//! What a kernel takes, whatever it is written in: see docs/kernel-abi.md.

/// The buffers and numbers of a kernel, in the order of the kernel ABI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelAbi {
    /// The export: the symbol or entry point.
    pub name: String,
    /// The buffers.
    pub bindings: Vec<AbiBinding>,
    /// The numbers: dynamic sizes, then scalars.
    pub constants: Vec<AbiConstant>,
    /// The properties of the device, filled in when the program is loaded.
    pub load_constants: Vec<String>,
}

/// A buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiBinding {
    /// The element type, as MLIR prints it.
    pub element: String,
    /// Whether the kernel writes it; it may be read, too.
    pub written: bool,
    /// What it is, for messages: `argument 0`.
    pub what: String,
}

/// A number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiConstant {
    /// Its type, as MLIR prints it.
    pub element: String,
    /// What it is, for messages: `size 1 of argument 0`.
    pub what: String,
}

/// The most bytes of push constants that every Vulkan device takes.
pub const PUSH_CONSTANT_BYTES: u32 = 128;

/// Where the constants of a kernel are among Vulkan's push constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushConstants {
    /// For each constant, its offset and its width, 4 or 8, in bytes.
    pub places: Vec<(u32, u32)>,
    /// The end of the last one, in bytes.
    pub size: u32,
}
