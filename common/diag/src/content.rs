//! Recognises files of the wrong kind, and suggests what to do with them.

/// Formats that people pass by mistake: how files of them begin, their names, and hints.
const KNOWN: &[(&[u8], &str, &str)] = &[
    (b"\x7fELF", "an object or a linked program (ELF)", RUN),
    (b"!<arch>\n", "a static archive", "`hal-substitute` and `hal-link` take objects and archives"),
    (b"ML\xefR", "MLIR bytecode", ""),
    (b"BC\xc0\xde", "LLVM bitcode", "`hal-substitute` takes bitcode"),
    (b"\x03\x02\x23\x07", "SPIR-V", "`hal-substitute` takes SPIR-V"),
    (b"\x93NUMPY", "a numpy array", "`hal-run --input=@FILE` takes arrays"),
    (b"PK\x03\x04", "a zip archive (.npz, .pt, .keras or a packed model)", TORCH),
    (b"\x80\x02", "a pickle of Python (an old .pt)", TORCH),
    (b"\x80\x04", "a pickle of Python", TORCH),
    (b"\x1f\x8b", "compressed by gzip", "unpack it first: `gunzip`, `tar xf`"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it first: `zstd -d`"),
    (b"\x89HDF", "an HDF5 file (.h5)", KERAS),
    (
        b"GGUF",
        "a GGUF file, weights for llama.cpp",
        "it holds no program: export the model that the weights belong to, as ONNX (`optimum-cli export onnx`), which takes them by `--weights=FILE`",
    ),
    (b"\xff\xfe", "text in UTF-16", "`iconv -f UTF-16 -t UTF-8`"),
    (b"\xfe\xff", "text in UTF-16", "`iconv -f UTF-16 -t UTF-8`"),
    (b"version https://git-lfs", "a pointer of Git LFS: the file itself was not fetched", "`git lfs pull`"),
];
const RUN: &str = "`hal-run` runs linked programs, `hal-substitute` takes objects";
const TORCH: &str = "from PyTorch, `torch.onnx.export(model, args, \"m.onnx\")` makes a model; or torch-mlir makes StableHLO for `--plugin=stablehlo`";
const KERAS: &str = "`keras.models.load_model(FILE).export(\"m.onnx\", format=\"onnx\")` makes a model of it";
const TFLITE: &str = "`python -m tf2onnx.convert --tflite FILE --output m.onnx` makes a model of it";
const WEIGHTS: &str =
    "it holds weights, and no program: export the model that they belong to, which takes them by `--weights=FILE`";
const PAGE: &str = "a download gave a page, such as an error or a login, in place of the file";
const ONNX: &str = "`hal-import` and `hal-compile` read ONNX";

/// Returns the kind of bytes by the magic numbers of formats that people pass by mistake; `None` for anything else.
pub fn looks_like(bytes: &[u8]) -> Option<&'static str> {
    found(bytes).map(|(name, _)| name)
}

/// Returns a hint for such a file; `None` if there is none.
pub fn what_to_do(bytes: &[u8]) -> Option<&'static str> {
    found(bytes).map(|(_, hint)| hint).filter(|hint| !hint.is_empty())
}

fn found(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    if bytes.get(4..8) == Some(b"TFL3") {
        return Some(("a TensorFlow Lite model", TFLITE));
    }
    // safetensors: the length of a JSON header, then the header.
    if bytes.get(8..10) == Some(b"{\"") && bytes.get(4..8) == Some(&[0; 4]) {
        return Some(("a safetensors archive", WEIGHTS));
    }
    let text = bytes.trim_ascii_start();
    let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if begins(b"<!doctype html") || begins(b"<html") || begins(b"<?xml") {
        return Some(("a page of the web (HTML, XML)", PAGE));
    }
    if let Some(&(_, name, hint)) = KNOWN.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        return Some((name, hint));
    }
    // A protobuf has no magic number. The first field of an ONNX model is its version, a small number; then come others of it.
    let next = [0x12, 0x1a, 0x22, 0x2a, 0x32, 0x3a, 0x42];
    (bytes.len() > 16 && bytes[0] == 8 && bytes[1] < 32 && next.contains(&bytes[2])).then_some(("an ONNX model", ONNX))
}

#[cfg(test)]
mod tests {
    use super::{looks_like, what_to_do};

    #[test]
    fn knows_neighbours() {
        assert_eq!(looks_like(b"\x7fELF\x02"), Some("an object or a linked program (ELF)"));
        assert_eq!(looks_like(b"\x20\0\0\0\0\0\0\0{\"w\":"), Some("a safetensors archive"));
        assert_eq!(looks_like(b"\x08\x08\x12\x07pytorch\x1a\x051.0.0"), Some("an ONNX model"));
        assert_eq!(looks_like(b"\n<!doctype HTML>"), Some("a page of the web (HTML, XML)"));
        assert_eq!(looks_like(b"module {}"), None);
        assert_eq!(looks_like(b""), None);
    }

    #[test]
    fn says_what_to_do() {
        assert!(what_to_do(b"GGUF\x03").is_some_and(|hint| hint.contains("no program")));
        assert!(what_to_do(b"\x1c\0\0\0TFL3").is_some_and(|hint| hint.contains("tf2onnx")));
        assert_eq!(what_to_do(b"ML\xefR"), None);
    }
}
