//! The readers that use MLIR and LLVM.
use crate::readers::Reader;

/// All readers of this file.
pub(crate) const COMPILER: &[Reader] = &[("onnx", onnx), ("target", target)];

/// A model: protobuf, graph, text of MLIR.
fn onnx(bytes: &[u8]) -> bool {
    let _ = hal_import::onnx::looks_like_onnx(bytes);
    let nowhere = std::path::Path::new("no-folder-of-a-fuzzer");
    let options = hal_import::onnx::OnnxOptions::default();
    hal_import::onnx::to_text(bytes.to_vec().into(), "fuzz", nowhere, &options).is_ok()
}

fn target(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| halyard_targets::parse_targets(&[text.to_owned()]).is_ok())
}
