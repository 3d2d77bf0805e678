// Variables of TOSA are states.
// RUN: hal-import %s --to=input | FileCheck %s
// CHECK: ml_program.global private mutable @sum(dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>) : tensor<2xf32>
// CHECK: ml_program.global_load @sum
// CHECK: ml_program.global_store @sum
// RUN: hal-compile %s -o %t.so -q && hal-run %t.so --input=2xf32=3 --calls=3 --state-out=- | FileCheck %s --check-prefix=CALLS
// CALLS: # output 0: 2xf32
// CALLS-NEXT: array([7., 8.], dtype=float32)
// CALLS: # state 0 `sum`: 2xf32
// CALLS-NEXT: array([10., 11.], dtype=float32)
tosa.variable @sum = dense<[1.0, 2.0]> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %old = tosa.variable_read @sum : tensor<2xf32>
  %new = tosa.add %old, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tosa.variable_write @sum, %new : tensor<2xf32>
  return %old : tensor<2xf32>
}
