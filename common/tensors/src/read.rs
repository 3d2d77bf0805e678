//! Reads files of tensors; their format is detected from their contents.
use crate::{TensorType, named::Named, npy, npz, safetensors};
use halyard_cli::read_input;
use halyard_diag::{Error, Result, looks_like, what_to_do};
use halyard_runtime::{DType, Tensor};
use std::path::Path;

/// Reads a file; `-` is standard input. `ty` is the type that was written before the file name: a file of raw
/// little-endian bytes needs it, tensors of other files must be of it. Errors: an unreadable or damaged file, of
/// another type.
pub fn read(path: &Path, ty: Option<&TensorType>) -> Result<Vec<Named>> {
    let input = read_input(path)?;
    read_bytes(&input.bytes, &input.name, ty)
}

/// Reads tensors from the contents of a file; `name` is its name in messages.
pub fn read_bytes(bytes: &[u8], name: &str, ty: Option<&TensorType>) -> Result<Vec<Named>> {
    let tensors = if bytes.starts_with(npy::MAGIC) {
        vec![npy::read(bytes, name)?]
    } else if npz::MAGIC.iter().any(|m| bytes.starts_with(m)) {
        npz::read(bytes, name)?
    } else if safetensors::looks_like(bytes) {
        safetensors::read(bytes, name)?
    } else if let Some(ty) = ty {
        let tensor = Tensor::from_bytes(ty.dtype, &ty.shape, bytes).map_err(|e| e.in_file(name))?;
        vec![Named { name: None, tensor, bytes: None }]
    } else {
        let kind = looks_like(bytes).map_or_else(String::new, |kind| format!("; it looks like {kind}"));
        return Err(Error::input(format!("neither .npy, .npz nor .safetensors{kind}"))
            .in_file(name)
            .code("unknown-file")
            .hint(what_to_do(bytes).unwrap_or("give raw bytes a type, as in `2x3xf32=@data.bin`")));
    };
    for named in &tensors {
        let tensor = &named.tensor;
        if let Some(ty) = ty
            && !(tensor.dtype().is_compatible(ty.dtype) && tensor.shape() == ty.shape && named.bytes.is_none())
        {
            let message = format!("holds a tensor `{}`, not `{ty}`", named.type_text());
            return Err(Error::input(message).in_file(name).code("wrong-type"));
        }
    }
    Ok(tensors.into_iter().map(|n| Named { tensor: canonical(n.tensor), ..n }).collect())
}

/// Kernels rely on it that an `i1` is 0 or 1.
fn canonical(mut tensor: Tensor) -> Tensor {
    if tensor.dtype() == DType::I1 {
        tensor.bytes_mut().iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
    tensor
}
