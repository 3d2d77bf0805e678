//! The safetensors archive.
use bytes::Bytes;
use halyard_diag::{Error, Result};
use halyard_ir::Type;
use halyard_tensors::{ArchiveTensor, Data, NewArchive, content_hash};
use safetensors::Dtype;
use std::{collections::BTreeSet, path::PathBuf};

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
pub(crate) fn dtype_of(element: Type) -> Option<Dtype> {
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

/// The archive of some weights, to be written to `path`. Errors: two weights of one name, data that do not fit the shape.
pub fn archive(path: PathBuf, weights: &[Weight]) -> Result<NewArchive<'static>> {
    let mut taken = BTreeSet::new();
    let mut tensors = Vec::new();
    for w in weights {
        let bits = w.shape.iter().try_fold(w.dtype.bitsize(), |n, &d| n.checked_mul(d));
        if bits != Some(8 * w.bytes.len()) {
            let what = format!("weight `{}` is damaged: {} bytes do not make {:?}", w.key, w.bytes.len(), w.shape);
            return Err(Error::input(what).code("bad-weight"));
        }
        if !taken.insert(&w.key) {
            return Err(Error::input(format!("two weights are named `{}`", w.key)).code("bad-weight"));
        }
        tensors.push(ArchiveTensor {
            key: w.key.clone(),
            dtype: w.dtype,
            shape: w.shape.iter().map(|&d| d as u64).collect(),
            data: Data::Shared(w.bytes.clone()),
            hash: content_hash(&w.bytes),
        });
    }
    Ok(NewArchive::new(path, tensors))
}
