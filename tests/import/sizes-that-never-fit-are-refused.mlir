// What can never fit is refused at import, with its place; a branch that may not run is not.
// RUN: not hal-import %s --message-format=short -o %t.mlir 2>&1 | FileCheck %s --match-full-lines
// RUN: not ls %t.mlir

#id = affine_map<(d0) -> (d0)>
func.func @generic(%x: tensor<5xf32>, %n: index) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  // CHECK: {{.*}}.mlir:[[@LINE+1]]:8: error: `linalg.generic`: indices of dimension 0 of operand 0 reach 6, beyond its size 5
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> ((d0 - 3) mod 7)>, #id], iterator_types = ["parallel"]} ins(%x : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @slice(%x: tensor<5xf32>) -> (tensor<?xf32>, f32) {
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c4 = arith.constant 4 : index
  // CHECK: {{.*}}.mlir:[[@LINE+1]]:8: error: `tensor.extract_slice`: dimension 0: 4 elements from 2 do not lie in a size of 5
  %s = tensor.extract_slice %x[%c2] [%c4] [1] : tensor<5xf32> to tensor<?xf32>
  // CHECK: {{.*}}.mlir:[[@LINE+1]]:8: error: `tensor.extract`: index 7 of dimension 0 lies outside of size 5
  %e = tensor.extract %x[%c7] : tensor<5xf32>
  return %s, %e : tensor<?xf32>, f32
}
func.func @branch(%x: tensor<5xf32>, %c: i1) -> f32 {
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.if %c -> f32 {
    %e = tensor.extract %x[%c7] : tensor<5xf32>
    scf.yield %e : f32
  } else {
    scf.yield %zero : f32
  }
  return %r : f32
}
// CHECK: {{.*}}.mlir:[[@LINE+1]]:1: error: `func.func`: a tensor of type `tensor<4611686018427387904x4xf32>` is larger than any memory
func.func @large(%x: tensor<4611686018427387904x4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %x[%c0, %c0] : tensor<4611686018427387904x4xf32>
  return %e : f32
}
// CHECK-NOT: error
