// Without a stage, `hal-opt` is the identity on any MLIR, as text and as bytecode.
// RUN: hal-opt %s | FileCheck %s
// RUN: hal-opt %s | %roundtrip | FileCheck %s

// CHECK-LABEL: func.func @sum
// CHECK-SAME: tensor<?xf32>
func.func @sum(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: arith.addf
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
