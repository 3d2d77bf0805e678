//! SPIR-V modules: their entry points and parameters, and edits.
//!
//! rspirv reads and writes the words. This module checks what rspirv does not (that identifiers exist, that there is
//! an entry point), so that a damaged file is an error and does not crash a driver.

mod check;
mod edit;
mod finish;
mod layout;
mod merge;
mod push_constants;
mod read;
mod uses;
mod valid;

pub use check::{Fitted, fit_spirv};
pub use finish::{Pushed, finish_spirv};
pub use merge::merge_spirv;
pub use read::{disassemble_spirv, inspect_spirv};

/// A module for Vulkan.
#[derive(Debug, Clone)]
pub struct SpirvModule {
    /// The name in messages: the file, or the executable and variant that it is of.
    pub owner: String,
    /// The major and minor version of SPIR-V.
    pub version: (u8, u8),
    /// The capabilities that it declares, by SPIR-V's names, sorted.
    pub capabilities: Vec<String>,
    /// Its compute shaders, in order; at least one.
    pub entries: Vec<SpirvEntry>,
    /// Its specialisation constants, in the order of their numbers.
    pub spec_constants: Vec<SpecConstant>,
    module: rspirv::dr::Module,
}

/// A compute shader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpirvEntry {
    /// The name of the entry point.
    pub name: String,
    /// Threads of a workgroup, in x, y and z.
    pub local_size: [LocalSize; 3],
    /// The resources that it uses, in the order of set and number.
    pub bindings: Vec<SpirvBinding>,
    /// The push constants that it declares, if it uses any.
    pub push_constants: Option<PushConstantBlock>,
    /// The bytes of memory that a workgroup shares, as far as they are known.
    pub shared_memory: u64,
    /// The identifier of its function.
    function: u32,
}

/// A number of threads in one dimension of a workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalSize {
    /// The number, unless the specialisation constant is set.
    pub value: u32,
    /// The number of the specialisation constant that it comes from, if it does.
    pub spec_id: Option<u32>,
}

/// A buffer or other resource of a shader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpirvBinding {
    /// The number of the descriptor set.
    pub set: u32,
    /// The binding number in the set.
    pub binding: u32,
    /// Its name in the source, if the module has kept it.
    pub name: Option<String>,
    /// A storage buffer, or a kind that a kernel cannot take.
    pub resource: Resource,
    /// Whether the shader writes to it, as far as the module shows.
    pub written: Access,
}

/// The kind of a resource that a shader is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// A storage buffer; its elements, if it is one array.
    Buffer(Option<Elements>),
    /// Something that a kernel cannot take: a uniform buffer, an image, ….
    Other(String),
}

/// The elements of an array in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elements {
    /// The numbers that an element consists of.
    pub scalar: Scalar,
    /// The number of components: 4 for a `vec4`.
    pub lanes: u32,
    /// The distance of two elements in bytes.
    pub stride: u32,
}

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar {
    /// Whether it is a floating-point type.
    pub float: bool,
    /// The width in bits.
    pub bits: u32,
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.float { "f" } else { "i" }, self.bits)
    }
}

/// Whether a shader writes to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The shader writes to it.
    Yes,
    /// The shader does not write to it.
    No,
    /// A pointer goes where it cannot be followed.
    Unknown,
}

/// The numbers of a block of push constants, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushConstantBlock {
    /// For each scalar: its offset in bytes, its type, and the name of its member.
    pub slots: Vec<(u32, Scalar, Option<String>)>,
    /// The end of the last scalar, in bytes.
    pub size: u32,
}

/// A specialisation constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecConstant {
    /// The number (`SpecId`).
    pub id: u32,
    /// Its name in the source, if the module has kept it.
    pub name: Option<String>,
    /// The type; `None` for a boolean.
    pub scalar: Option<Scalar>,
    /// The bits of the default value.
    pub default: u64,
}

impl SpirvModule {
    /// Returns the module as the bytes of a file.
    pub fn bytes(&self) -> Vec<u8> {
        use rspirv::binary::Assemble;
        self.module.assemble().into_iter().flat_map(u32::to_le_bytes).collect()
    }

    /// The capabilities beyond `Shader` and what it implies: what a device must have, by the names of `hal.features`.
    pub fn features(&self) -> Vec<String> {
        self.capabilities.iter().filter(|c| !matches!(c.as_str(), "Shader" | "Matrix")).cloned().collect()
    }

    /// The module as text with identifiers as numbers, as `spirv-dis` writes it, but for names.
    pub fn disassemble(&self) -> String {
        read::as_text(&self.module)
    }
}

#[cfg(test)]
mod tests;
