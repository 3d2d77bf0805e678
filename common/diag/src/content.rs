//! What a file is that is not what was asked for.

/// Says what bytes look like, by the magic numbers of formats that people pass by mistake; `None` for anything else.
pub fn looks_like(bytes: &[u8]) -> Option<&'static str> {
    const KNOWN: &[(&[u8], &str)] = &[
        (b"\x7fELF", "an object or a linked program (ELF)"),
        (b"!<arch>\n", "a static archive"),
        (b"ML\xefR", "MLIR bytecode"),
        (b"BC\xc0\xde", "LLVM bitcode"),
        (b"\x03\x02\x23\x07", "SPIR-V"),
        (b"\x93NUMPY", "a numpy array"),
        (b"PK\x03\x04", "a zip archive (.npz, .pt or a packed model)"),
        (b"\x1f\x8b", "compressed by gzip"),
        (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
        (b"\x89HDF", "an HDF5 file"),
        (b"\xff\xfe", "text in UTF-16"),
        (b"\xfe\xff", "text in UTF-16"),
        (b"version https://git-lfs", "a pointer of Git LFS: the file itself was not fetched"),
    ];
    if bytes.get(4..8) == Some(b"TFL3") {
        return Some("a TensorFlow Lite model");
    }
    // safetensors: the length of a JSON header, then the header.
    if bytes.get(8..10) == Some(b"{\"") && bytes.get(4..8) == Some(&[0; 4]) {
        return Some("a safetensors archive");
    }
    KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|&(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::looks_like;

    #[test]
    fn knows_neighbours() {
        assert_eq!(looks_like(b"\x7fELF\x02"), Some("an object or a linked program (ELF)"));
        assert_eq!(looks_like(b"\x20\0\0\0\0\0\0\0{\"w\":"), Some("a safetensors archive"));
        assert_eq!(looks_like(b"module {}"), None);
        assert_eq!(looks_like(b""), None);
    }
}
