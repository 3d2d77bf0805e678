//! Writes safetensors archives whose tensors can be used where they are mapped.
//!
//! Format: <https://github.com/huggingface/safetensors#format>: the length of the header, the header (JSON, padded with
//! spaces), the tensors without gaps. A kernel's buffers start at multiples of 64; so the header is padded to one, and
//! tensors whose size is a multiple of 64 come first. Only the few others are copied when they are loaded.
use halyard_runtime::{ALIGNMENT, DType};

/// A tensor to write.
#[derive(Debug)]
pub(crate) struct Tensor<'a> {
    pub(crate) key: String,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<u64>,
    pub(crate) bytes: &'a [u8],
}

fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "F32",
        DType::F64 => "F64",
        DType::F16 => "F16",
        DType::Bf16 => "BF16",
        DType::I1 => "BOOL",
        DType::I8 => "I8",
        DType::U8 => "U8",
        DType::I16 => "I16",
        DType::U16 => "U16",
        DType::I32 => "I32",
        DType::U32 => "U32",
        DType::I64 => "I64",
        DType::U64 => "U64",
    }
}

/// The bytes of an archive. Keys are unique. The order of the tensors given does not matter.
pub(crate) fn serialize(mut tensors: Vec<Tensor<'_>>) -> Vec<u8> {
    tensors.sort_by(|a, b| (a.bytes.len() % ALIGNMENT != 0, &a.key).cmp(&(b.bytes.len() % ALIGNMENT != 0, &b.key)));
    let mut content = blake3::Hasher::new();
    for t in &tensors {
        content.update(t.bytes);
    }
    // Programs check the header of their archive when they are loaded: with this it is nobody else's.
    let mut header = format!("{{\"__metadata__\":{{\"halyard.content\":\"{}\"}}", content.finalize().to_hex());
    let mut offset = 0;
    for t in &tensors {
        let end = offset + t.bytes.len();
        let shape: Vec<_> = t.shape.iter().map(u64::to_string).collect();
        let key = serde_json::to_string(&t.key).expect("strings serialise");
        header += &format!(",{key}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{offset},{end}]}}", type_name(t.dtype), shape.join(","));
        offset = end;
    }
    header.push('}');
    while !(header.len() + 8).is_multiple_of(ALIGNMENT) {
        header.push(' ');
    }
    let mut bytes = Vec::with_capacity(8 + header.len() + offset);
    bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    for t in &tensors {
        bytes.extend_from_slice(t.bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_valid_and_aligned() {
        let (odd, even) = ([1u8, 2, 3], [7u8; 128]);
        let tensors = vec![
            Tensor { key: "a\"b".into(), dtype: DType::I8, shape: vec![3], bytes: &odd },
            Tensor { key: "w".into(), dtype: DType::F32, shape: vec![4, 8], bytes: &even },
        ];
        let bytes = serialize(tensors);
        let read = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(read.tensor("a\"b").unwrap().data(), odd);
        let w = read.tensor("w").unwrap();
        assert_eq!((w.shape(), w.data()), (&[4usize, 8][..], &even[..]));
        assert_eq!((w.data().as_ptr() as usize - bytes.as_ptr() as usize) % 64, 0);
    }
}
