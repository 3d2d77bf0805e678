// A mutable global keeps its value between the calls of an instance; a value loaded from it does not change with it.
// RUN: hal-link %s -o %t.so && hal-run %t.so --function=main --input=2xi64=5,6 | FileCheck %s
// RUN: hal-run %t.so --function=more --calls=2 | FileCheck %s --check-prefix=MORE
// MORE: # output 0: 2x2xf32
// MORE-NEXT: array({{\[\[}}1., 2.],
// MORE: # output 1: 2x3xi8
// MORE-NEXT: array({{\[\[}}0, 0, 0],
// MORE: # output 2: 2xi64
// MORE-NEXT: array([3, 3])
// CHECK: output 0: 2xi64
// CHECK-NEXT: [1, 2]
// CHECK: output 1: 2xi64
// CHECK-NEXT: [5, 6]
// CHECK: output 2: 2xi64
// CHECK-NEXT: [3, 3]
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  ml_program.global private mutable @state(dense<[1, 2]> : tensor<2xi64>) : tensor<2xi64>
  ml_program.global private @three(dense<3> : tensor<2xi64>) : tensor<2xi64>
  func.func @main(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
    %old = ml_program.global_load @state : tensor<2xi64>
    ml_program.global_store @state = %x : tensor<2xi64>
    %new = ml_program.global_load @state : tensor<2xi64>
    %three = ml_program.global_load_const @three : tensor<2xi64>
    return %old, %new, %three : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
  }
  // Values that are resources, none, and those of another state; two states exchange what they hold.
  ml_program.global private mutable @resource(dense_resource<blob> : tensor<2x2xf32>) : tensor<?x2xf32>
  ml_program.global private mutable @none : tensor<2x3xi8>
  ml_program.global private mutable @a(dense<3> : tensor<2xi64>) : tensor<2xi64>
  ml_program.global private mutable @b(dense<4> : tensor<2xi64>) : tensor<2xi64>
  func.func @more() -> (tensor<?x2xf32>, tensor<2x3xi8>, tensor<2xi64>) {
    %resource = ml_program.global_load @resource : tensor<?x2xf32>
    %none = ml_program.global_load @none : tensor<2x3xi8>
    %a = ml_program.global_load @a : tensor<2xi64>
    %b = ml_program.global_load @b : tensor<2xi64>
    ml_program.global_store @a = %b : tensor<2xi64>
    ml_program.global_store @b = %a : tensor<2xi64>
    return %resource, %none, %b : tensor<?x2xf32>, tensor<2x3xi8>, tensor<2xi64>
  }
}
{-#
  dialect_resources: { builtin: { blob: "0x040000000000803f000000400000404000008040" } }
#-}
