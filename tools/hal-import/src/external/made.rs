//! The variants of hand-written kernels.
use super::files::Code;
use halyard_ir::{
    Attr,
    form::{ExternalCount, Launch, PackedWeight},
};
use halyard_objects::CodeArgument;

/// A variant to create.
pub(super) struct Made {
    pub(super) target: Attr,
    /// The variant's name, unless another variant has it.
    pub(super) name: String,
    /// The format and bytes of each object.
    pub(super) objects: Vec<(String, Vec<u8>)>,
    /// For a GPU: the launch parameters, and the features that the device must have.
    pub(super) launch: Option<(Launch, Vec<String>)>,
    /// The load-time constants.
    pub(super) load_constants: Vec<String>,
    /// The weights that the code uses packed.
    pub(super) packed: Vec<PackedWeight>,
    pub(super) count: ExternalCount,
    /// The code's symbol or entry point.
    pub(super) symbol: String,
    /// The code's arguments, if it does not have the kernel ABI.
    pub(super) arguments: Option<Vec<CodeArgument>>,
    /// For a CPU, if the code has another name or other arguments: the code, which a shim calls.
    pub(super) called: Option<Code>,
}
