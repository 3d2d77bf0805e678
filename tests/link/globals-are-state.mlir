// A mutable global keeps its value between the calls of an instance; a value loaded from it does not change with it.
// RUN: hal-link %s -o %t.so && hal-run %t.so --input=2xi64=5,6 | FileCheck %s
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
}
