//! What an input is, by its content.
use halyard_ir::is_bytecode;

/// A kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// MLIR text or bytecode.
    Mlir,
    /// An ONNX protobuf.
    Onnx,
}

/// Tells MLIR from ONNX. A protobuf has no magic number: an ONNX file is what is not MLIR bytecode, starts with a field
/// of `ModelProto` (`ir_version`, field 1, comes first in every writer's output; others are accepted), and has bytes
/// that text never has.
pub fn kind_of(bytes: &[u8]) -> Kind {
    if is_bytecode(bytes) {
        return Kind::Mlir;
    }
    let head = &bytes[..bytes.len().min(4096)];
    let control = head.iter().any(|&b| b < b' ' && !matches!(b, b'\n' | b'\r' | b'\t' | 0x0c));
    // The fields of ModelProto and their wire types: 1 ir_version (varint), 2–4, 6–7 strings and messages
    // (length-delimited), 5 model_version (varint), 8 opset_import, 14 metadata_props, 20 training_info, 25 functions.
    let tag = head.first().copied().unwrap_or(0);
    let known = matches!(tag, 0x08 | 0x12 | 0x1a | 0x22 | 0x28 | 0x32 | 0x3a | 0x42 | 0x72 | 0xa2 | 0xca);
    if control && known { Kind::Onnx } else { Kind::Mlir }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_text_bytecode_and_onnx_apart() {
        assert_eq!(kind_of(b"module {}\n"), Kind::Mlir);
        assert_eq!(kind_of(b"\n\n// a comment\n"), Kind::Mlir);
        assert_eq!(kind_of(b"ML\xefR\x01"), Kind::Mlir);
        assert_eq!(kind_of(b"\x08\x08\x12\x07pytorch"), Kind::Onnx);
        assert_eq!(kind_of(b"\x7fELF\x02\x01\x01\x00"), Kind::Mlir);
    }
}
