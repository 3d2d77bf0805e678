// Models of other projects are told what to do first.
// RUN: not hal-import %s 2>&1 | FileCheck %s

// CHECK: error[unsupported]: operation `stablehlo.add` is not supported: the dialect `stablehlo` is not part of MLIR
// CHECK: foreign-dialects.mlir:[[@LINE+4]]:8
// CHECK-NOT: Available dialects
// CHECK: hint: `--plugin=stablehlo` brings it in
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
