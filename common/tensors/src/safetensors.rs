//! Hugging Face's `.safetensors`: <https://github.com/huggingface/safetensors#format>.
use crate::Named;
use ::safetensors::{Dtype, SafeTensors, tensor::TensorView};
use halyard_diag::{Error, Result};
use halyard_runtime::{DType, Tensor};

/// Whether bytes look like this format: the length of a JSON header, then its brace.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    let length = bytes.first_chunk().map_or(u64::MAX, |b| u64::from_le_bytes(*b));
    bytes.get(8) == Some(&b'{') && length <= bytes.len() as u64 - 8
}

/// Reads all tensors, in the order of their data.
pub(crate) fn read(bytes: &[u8], name: &str) -> Result<Vec<Named>> {
    let bad = |what: String| {
        Error::input(format!("not a valid .safetensors file: {what}")).in_file(name).code("bad-safetensors")
    };
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| bad(e.to_string()))?;
    let archive = SafeTensors::deserialize(bytes).map_err(|e| bad(e.to_string()))?;
    let mut tensors = Vec::new();
    for key in metadata.offset_keys() {
        let view = archive.tensor(&key).map_err(|e| bad(e.to_string()))?;
        let Some(dtype) = dtype(view.dtype()) else {
            return Err(Error::input(format!("elements of type {:?} are not supported", view.dtype()))
                .in_file(format!("{name}:{key}"))
                .code("unsupported-dtype"));
        };
        tensors.push(Named {
            name: Some(key),
            tensor: Tensor::from_bytes(dtype, view.shape(), view.data())?,
            bytes: None,
        });
    }
    Ok(tensors)
}

/// Returns the bytes of an archive.
pub(crate) fn write(tensors: &[(String, &Tensor)]) -> Result<Vec<u8>> {
    let failed =
        |e: ::safetensors::SafeTensorError| Error::environment(format!("cannot make the .safetensors archive: {e}"));
    let mut views = Vec::new();
    for (name, tensor) in tensors {
        let view =
            TensorView::new(archive_type(tensor.dtype()), tensor.shape().to_vec(), tensor.bytes()).map_err(failed)?;
        views.push((name, view));
    }
    ::safetensors::serialize(views, None).map_err(failed)
}

fn dtype(theirs: Dtype) -> Option<DType> {
    DType::ALL.into_iter().find(|&d| archive_type(d) == theirs)
}

/// The element type as archives have it.
pub fn archive_type(dtype: DType) -> Dtype {
    match dtype {
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
        DType::F16 => Dtype::F16,
        DType::Bf16 => Dtype::BF16,
        DType::I1 => Dtype::BOOL,
        DType::I8 => Dtype::I8,
        DType::U8 => Dtype::U8,
        DType::I16 => Dtype::I16,
        DType::U16 => Dtype::U16,
        DType::I32 => Dtype::I32,
        DType::U32 => Dtype::U32,
        DType::I64 => Dtype::I64,
        DType::U64 => Dtype::U64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let tensors: Vec<_> = DType::ALL.map(|d| (d.name().to_owned(), Tensor::zeros(d, &[2, 3]))).to_vec();
        let list: Vec<_> = tensors.iter().map(|(n, t)| (n.clone(), t)).collect();
        let bytes = write(&list).unwrap();
        assert!(looks_like(&bytes) && !looks_like(b"") && !looks_like(b"PK\x03\x04"));
        let back = read(&bytes, "x").unwrap();
        assert_eq!(back.len(), tensors.len());
        for named in back {
            let name = named.name.unwrap();
            assert_eq!(Some(&named.tensor), tensors.iter().find(|(n, _)| *n == name).map(|(_, t)| t));
        }
        assert!(read(&bytes[..20], "x").is_err());
    }
}
