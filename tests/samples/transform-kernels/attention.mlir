// A transform script makes one kernel of attention: two products with a softmax between them, for 8 heads of 256 rows.
// RUN: rm -rf %t && mkdir %t && cd %t && %python %S/reference.py
// RUN: hal-compile %s -o model.so --preprocess-executables-with=%S/attention-schedule.mlir --explain 2>&1 | FileCheck %s
// RUN: hal-run model.so --input=@q.npy --input=@k.npy --input=@v.npy --expect=@attention.npy --rtol=1e-4 --atol=1e-5
// CHECK-NOT: warning
// CHECK: 8 x 16 workgroups of `scf.forall`, with its vectors
// CHECK-NOT: warning
// REQUIRES: numpy
func.func @main(%q: tensor<8x256x64xf32>, %k: tensor<8x256x64xf32>, %v: tensor<8x256x64xf32>) -> tensor<8x256x64xf32> {
  %zero = arith.constant 0.0 : f32
  %eighth = arith.constant 0.125 : f32
  %square = tensor.empty() : tensor<8x256x256xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %scores = linalg.batch_matmul indexing_maps = [
      affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%q, %k : tensor<8x256x64xf32>, tensor<8x256x64xf32>) outs(%zeros : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %scaled = linalg.map ins(%scores : tensor<8x256x256xf32>) outs(%square : tensor<8x256x256xf32>) (%x: f32, %out: f32) {
    %y = arith.mulf %x, %eighth : f32
    linalg.yield %y : f32
  }
  %shares = linalg.softmax dimension(2) ins(%scaled : tensor<8x256x256xf32>) outs(%square : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %empty = tensor.empty() : tensor<8x256x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x256x64xf32>) -> tensor<8x256x64xf32>
  %r = linalg.batch_matmul ins(%shares, %v : tensor<8x256x256xf32>, tensor<8x256x64xf32>) outs(%start : tensor<8x256x64xf32>) -> tensor<8x256x64xf32>
  return %r : tensor<8x256x64xf32>
}
