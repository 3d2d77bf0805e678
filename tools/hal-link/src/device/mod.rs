//! Objects of each kind of GPU, a folder each: their kernels, and how they become modules of a program.
mod cuda;
mod vulkan;

use halyard_diag::{Error, Result};
use halyard_ir::form::Launch;
use halyard_objects::KernelAbi;
use halyard_runtime::commands::CodeFormat;
pub use vulkan::args::MergeArgs;

/// The contents of the objects of a variant.
pub(crate) struct VariantObjects<'a> {
    /// The variant's name in messages.
    pub(crate) owner: &'a str,
    /// The bytes of each object.
    pub(crate) contents: Vec<Vec<u8>>,
}

impl VariantObjects<'_> {
    /// Returns the name of an object for messages.
    fn named(&self, object: usize) -> String {
        if self.contents.len() == 1 { self.owner.to_owned() } else { format!("object {object} of {}", self.owner) }
    }
}

/// A kernel that was found in the objects.
pub(crate) struct FoundKernel {
    /// The index of the object.
    pub(crate) object: usize,
    pub(crate) format: CodeFormat,
    /// Its name in the module.
    pub(crate) entry: String,
    pub(crate) workgroup_size: [u32; 3],
    /// Bytes of shared memory, as the loader wants to know it.
    pub(crate) shared_memory: u64,
}

/// The parsed objects of a variant.
pub(crate) trait DeviceObjects {
    /// Finds a kernel and makes its module fit; adds what a device must have for it to `features`. Errors: there is no such
    /// kernel, or it does not fit its interface.
    fn find(&mut self, abi: &KernelAbi, launch: Launch, features: &mut Vec<String>) -> Result<FoundKernel>;

    /// The modules, in the order of the objects. Those that nothing was changed in stay as they were, byte by byte.
    fn modules(self: Box<Self>) -> Vec<Vec<u8>>;
}

/// Reads the objects of a variant for a kind of device; adds what a device must have for all of them to `features`. Errors: a
/// damaged object.
pub(crate) fn read<'a>(
    device: &str,
    objects: VariantObjects<'a>,
    features: &mut Vec<String>,
) -> Result<Box<dyn DeviceObjects + 'a>> {
    match device {
        "vulkan" => vulkan::read(objects, features),
        "cuda" => Ok(cuda::read(objects)),
        other => Err(Error::input(format!("{} is for `{other}`, whose objects cannot be linked", objects.owner))),
    }
}
