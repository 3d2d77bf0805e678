//! Distinguishes ONNX models from other input by content.

/// Whether bytes look like an ONNX model, even a cut one: a sequence of protobuf fields of `ModelProto`, with the IR
/// version or the graph among them.
pub fn looks_like_onnx(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    let mut telling = false;
    while !rest.is_empty() {
        let Some((key, after)) = varint(rest) else { return telling };
        let (field, wire) = (key >> 3, key & 7);
        // Field and wire type, see `ModelProto` in the specification.
        let known = match wire {
            0 => matches!(field, 1 | 5),
            2 => matches!(field, 2 | 3 | 4 | 6 | 7 | 8 | 14 | 20 | 25 | 26),
            _ => false,
        };
        if !known {
            return false;
        }
        let Some((number, after)) = varint(after) else { return telling };
        if field == 1 && !(1..=1000).contains(&number) {
            return false;
        }
        rest =
            if wire == 0 { after } else { after.get(usize::try_from(number).unwrap_or(usize::MAX)..).unwrap_or(&[]) };
        telling |= field == 1 || (field == 7 && number > 1);
    }
    telling
}

/// Reads a base-128 integer.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    for (i, &b) in bytes.iter().take(10).enumerate() {
        value |= u64::from(b & 0x7f).checked_shl(7 * i as u32)?;
        if b < 0x80 {
            return Some((value, &bytes[i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_told_apart() {
        assert!(looks_like_onnx(b"\x08\x07\x12\x04test:\x02\x0a\x00"));
        assert!(looks_like_onnx(b"\x08\x07\x12\x04te"), "a cut model");
        assert!(!looks_like_onnx(b""));
        assert!(!looks_like_onnx(b"module {}"));
        assert!(!looks_like_onnx(b"// : comment\nmodule {}"));
        assert!(!looks_like_onnx(b"ML\xefR\x0d"));
        assert!(!looks_like_onnx(b"\x7fELF"));
    }
}
