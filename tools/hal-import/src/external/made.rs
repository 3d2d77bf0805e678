//! The variants that external kernels become.
use super::files::Code;
use halyard_ir::{
    Attr,
    form::{ExternalCount, Launch, PackedWeight},
};
use halyard_objects::CodeArgument;

/// What becomes a variant.
pub(super) struct Made {
    pub(super) target: Attr,
    /// Of the variant, unless there is another one of it.
    pub(super) name: String,
    /// Format and bytes of each.
    pub(super) objects: Vec<(String, Vec<u8>)>,
    /// For a GPU: how it runs, and what the device must have.
    pub(super) launch: Option<(Launch, Vec<String>)>,
    /// What it takes of the device.
    pub(super) load_constants: Vec<String>,
    /// The weights that it takes packed.
    pub(super) packed: Vec<PackedWeight>,
    pub(super) count: ExternalCount,
    /// What the code is called.
    pub(super) symbol: String,
    /// What it takes, if that is not the kernel ABI.
    pub(super) arguments: Option<Vec<CodeArgument>>,
    /// For a CPU, where it is called differently or takes something else: the code, which a shim calls.
    pub(super) called: Option<Code>,
}
