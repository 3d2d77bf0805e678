//! SPIR-V modules: what their entry points are and take, and changes to them.
//!
//! rspirv reads and writes the words; what it does not look at (that identifiers exist, that there is an entry point) is
//! looked at here, so that a damaged file is an error and not a crash of a driver.

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
pub use read::inspect_spirv;

/// A module for Vulkan.
#[derive(Debug, Clone)]
pub struct SpirvModule {
    /// The name in messages: the file, or the executable and variant that it is of.
    pub owner: String,
    /// Major and minor version of SPIR-V.
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
    /// Bytes of memory that a workgroup shares, as far as it is known.
    pub shared_memory: u64,
    /// The function that it starts.
    function: u32,
}

/// A number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalSize {
    /// The number, where nobody sets the specialisation constant.
    pub value: u32,
    /// The number of the specialisation constant that it comes from, if it does.
    pub spec_id: Option<u32>,
}

/// A resource of a shader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpirvBinding {
    /// The descriptor set.
    pub set: u32,
    /// The number in the set.
    pub binding: u32,
    /// Its name in the source, if the module has kept it.
    pub name: Option<String>,
    /// A storage buffer, or a kind that a kernel cannot take.
    pub resource: Resource,
    /// Whether the shader writes to it, as far as that can be seen.
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
    /// How many of them: 4 for a `vec4`.
    pub lanes: u32,
    /// The distance of two elements in bytes.
    pub stride: u32,
}

/// A kind of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar {
    /// Whether it is a floating-point number.
    pub float: bool,
    /// Its width.
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
    /// It does.
    Yes,
    /// It does not.
    No,
    /// A pointer goes where it cannot be followed.
    Unknown,
}

/// The numbers of a block of push constants, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushConstantBlock {
    /// For each number: its offset in bytes, its kind, and the name of the member that it is in.
    pub slots: Vec<(u32, Scalar, Option<String>)>,
    /// The end of the last one, in bytes.
    pub size: u32,
}

/// A specialisation constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecConstant {
    /// Its number.
    pub id: u32,
    /// Its name in the source, if the module has kept it.
    pub name: Option<String>,
    /// What it is; `None` for a truth value.
    pub scalar: Option<Scalar>,
    /// The bits of its default.
    pub default: u64,
}

impl SpirvModule {
    /// The module as a file holds it.
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
        use rspirv::binary::Disassemble;
        format!("{}\n", self.module.disassemble().trim_end())
    }
}

#[cfg(test)]
mod tests;
