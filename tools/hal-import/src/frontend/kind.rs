//! Detects the kind of an input from its content.
use crate::onnx::looks_like_onnx;
use halyard_ir::is_bytecode;

/// A kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// MLIR text or bytecode.
    Mlir,
    /// An ONNX protobuf.
    Onnx,
}

/// Distinguishes MLIR from ONNX. A protobuf has no magic number; [`looks_like_onnx`] parses its fields.
pub fn kind_of(bytes: &[u8]) -> InputKind {
    if !is_bytecode(bytes) && looks_like_onnx(bytes) { InputKind::Onnx } else { InputKind::Mlir }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_text_bytecode_and_onnx_apart() {
        assert_eq!(kind_of(b"module {}\n"), InputKind::Mlir);
        assert_eq!(kind_of(b"\n\n// a comment\n"), InputKind::Mlir);
        assert_eq!(kind_of(b"ML\xefR\x01"), InputKind::Mlir);
        assert_eq!(kind_of(b"\x08\x08\x12\x07pytorch"), InputKind::Onnx);
        assert_eq!(kind_of(b"\x7fELF\x02\x01\x01\x00"), InputKind::Mlir);
    }
}
