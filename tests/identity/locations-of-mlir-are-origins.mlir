// An executable names the locations of MLIR that its operations state: names, and lines of files that are no MLIR.
// RUN: hal-import %s | FileCheck %s
// CHECK: module @main_dispatch_0 attributes {hal.executable, hal.origin = ["model.py:12", "encoder/softmax"]}
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32> loc("/somewhere/model.py":12:3)
  %z = linalg.softmax dimension(1) ins(%y : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32> loc("encoder/softmax"("/somewhere/model.py":20:3))
  return %z : tensor<4x8xf32>
}
