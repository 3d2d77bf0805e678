//! Information about a program for users and tools.
use crate::{
    DType, KernelIdentity,
    commands::{Kernel, KernelCode, KernelVariant, KernelWork},
};
use serde::{Deserialize, Serialize};

/// A tensor of a function's signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorSpec {
    /// Its name, where the model gave one.
    pub name: Option<String>,
    /// The element type.
    pub dtype: DType,
    /// The sizes of the dimensions; `None` is any.
    pub shape: Vec<Option<usize>>,
    /// The names of the sizes, one for each dimension or none at all; empty where a size has no name.
    pub dim_names: Vec<String>,
    /// The type of its bytes if the element type does not state it: `f8E4M3FN`, `ui4`.
    pub element: Option<String>,
}

impl TensorSpec {
    /// Prints the type as `1x?x224xf32`.
    pub fn type_text(&self) -> String {
        let dims: String = self.shape.iter().map(|d| d.map_or("?x".into(), |d| format!("{d}x"))).collect();
        match &self.element {
            Some(element) => format!("{dims}{element}"),
            None => format!("{dims}{}", self.dtype),
        }
    }

    /// The names of the sizes that are any, with brackets: `[batch, length]`; `?` for those without a name. Empty if none has one.
    pub fn dim_names_text(&self) -> String {
        let open = self.shape.iter().zip(&self.dim_names).filter(|(d, _)| d.is_none());
        let names: Vec<_> = open.map(|(_, name)| if name.is_empty() { "?" } else { name }).collect();
        if names.iter().all(|n| *n == "?") { String::new() } else { format!("[{}]", names.join(", ")) }
    }

    /// Whether a tensor of that type and shape is accepted.
    pub fn accepts(&self, dtype: DType, shape: &[usize]) -> bool {
        self.dtype.is_compatible(dtype)
            && self.shape.len() == shape.len()
            && self.shape.iter().zip(shape).all(|(want, &is)| want.is_none_or(|w| w == is))
    }
}

/// The signature of a function that can be called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionInfo {
    /// The name.
    pub name: String,
    /// Its arguments, in order.
    pub inputs: Vec<TensorSpec>,
    /// Its results, in order.
    pub outputs: Vec<TensorSpec>,
}

/// A kernel of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelInfo {
    /// The executable that it belongs to.
    pub executable: String,
    /// Its name in the executable.
    pub export: String,
    /// The content key and the origin.
    pub identity: KernelIdentity,
    /// Its symbol in the shared object, or the entry point of its module.
    pub symbol: String,
    /// The variant that was chosen for this machine.
    pub variant: String,
    /// The names of the other variants.
    pub others: Vec<String>,
    /// A hash of the code of that variant: equal for equal bytes.
    pub digest: String,
    /// The number of buffers that it takes.
    pub bindings: usize,
    /// The number of scalars that it takes.
    pub constants: usize,
    /// Properties of the device that it takes as further scalars.
    pub load_constants: Vec<String>,
    /// The work of a dispatch, whatever its kernel.
    pub work: KernelWork,
    /// Bytes read and written by one dispatch if each binding is touched once, if known.
    pub bytes: Option<u64>,
}

impl KernelInfo {
    /// A kernel of a program, with the variant that was chosen.
    pub(crate) fn of(kernel: &Kernel, variant: &KernelVariant) -> Self {
        Self {
            executable: kernel.executable.clone(),
            export: kernel.export.clone(),
            identity: kernel.identity.clone(),
            symbol: match &variant.code {
                KernelCode::Host { symbol } => symbol.clone(),
                KernelCode::Device(code) => code.entry.clone(),
            },
            variant: variant.name.clone(),
            others: kernel.variants.iter().filter(|v| *v != variant).map(|v| v.name.clone()).collect(),
            digest: variant.digest.clone(),
            bindings: kernel.bindings.len(),
            constants: kernel.constants as usize,
            load_constants: variant.load_constants.clone(),
            work: kernel.work.clone(),
            bytes: kernel.bytes,
        }
    }
}

/// Prints a shape as `2x3xf32`; a scalar is `f32`.
pub fn shape_text(shape: &[usize], dtype: DType) -> String {
    let dims: String = shape.iter().map(|d| format!("{d}x")).collect();
    format!("{dims}{dtype}")
}
