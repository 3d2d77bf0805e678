//! The readers that use MLIR and LLVM.
use crate::readers::Reader;

/// All readers of this file.
pub(crate) const COMPILER: &[Reader] = &[("onnx", onnx), ("target", target)];

/// A model: protobuf, graph, text of MLIR.
fn onnx(bytes: &[u8]) {
    let _ = hal_import::onnx::looks_like_onnx(bytes);
    let nowhere = std::path::Path::new("no-folder-of-a-fuzzer");
    let _ =
        hal_import::onnx::to_text(bytes.to_vec().into(), "fuzz", nowhere, &hal_import::onnx::OnnxOptions::default());
}

fn target(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = halyard_targets::parse_targets(&[text.to_owned()]);
    }
}
