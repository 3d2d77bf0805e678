//! The safetensors archive.
use bytes::Bytes;
use halyard_diag::{Error, Result};
use halyard_ir::Type;
use safetensors::{Dtype, tensor::TensorView};
use std::collections::{BTreeMap, HashMap};

/// The data of a global.
#[derive(Debug, Clone)]
pub struct Weight {
    /// The name in the archive.
    pub key: String,
    /// The element type in the archive.
    pub dtype: Dtype,
    /// The shape.
    pub shape: Vec<usize>,
    /// The elements, row-major and little-endian; may be a mapped piece of a file.
    pub bytes: Bytes,
}

/// The element type of an archive for one of MLIR; `None` if archives do not have it. Unsigned types of the program are
/// signless integers in MLIR.
pub(super) fn dtype_of(element: Type) -> Option<Dtype> {
    Some(match &*element.to_string() {
        "i1" => Dtype::BOOL,
        "i8" => Dtype::I8,
        "i16" => Dtype::I16,
        "i32" => Dtype::I32,
        "i64" | "index" => Dtype::I64,
        "f16" => Dtype::F16,
        "bf16" => Dtype::BF16,
        "f32" => Dtype::F32,
        "f64" => Dtype::F64,
        _ => return None,
    })
}

/// The key of the metadata that tells the contents of one archive from another's. Programs remember the header of their
/// archive and check it when they are loaded; hashing all weights then would take too long.
const CONTENT: &str = "halyard.content";

/// The bytes of an archive. The order in it is that of safetensors: by element size, then by name, so it does not depend
/// on the order of the weights. Errors: two weights of one name.
pub fn serialize(weights: &[Weight]) -> Result<Vec<u8>> {
    let mut views = BTreeMap::new();
    for w in weights {
        let view = TensorView::new(w.dtype, w.shape.clone(), &w.bytes)
            .map_err(|e| Error::input(format!("weight `{}` is damaged: {e}", w.key)).code("bad-weight"))?;
        if views.insert(w.key.clone(), view).is_some() {
            return Err(Error::input(format!("two weights are named `{}`", w.key)).code("bad-weight"));
        }
    }
    let mut content = blake3::Hasher::new();
    for view in views.values() {
        content.update(view.data());
    }
    let metadata = HashMap::from([(CONTENT.to_owned(), content.finalize().to_hex().to_string())]);
    safetensors::serialize(views, Some(metadata))
        .map_err(|e| Error::input(format!("the weights cannot be written as safetensors: {e}")))
}
