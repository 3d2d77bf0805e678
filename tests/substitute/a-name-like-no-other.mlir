// A name that resembles none is answered with what the program has.
// RUN: hal-import %s -o %t.mlir && exits 2 hal-substitute %t.mlir q=%s 2>&1 | FileCheck %s
// CHECK: error[unknown-name]: there is no executable `q`
// CHECK-NEXT: note: the program has one executable, `main_dispatch_0`
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = math.exp %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
