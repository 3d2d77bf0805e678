// Equal expressions are computed once.
// RUN: hal-opt %s --stage=%S/../tidy.yaml | FileCheck %s
// CHECK: math.exp
// CHECK-NOT: math.exp
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = math.exp %x : tensor<4xf32>
  %b = math.exp %x : tensor<4xf32>
  %y = arith.addf %a, %b : tensor<4xf32>
  return %y : tensor<4xf32>
}
