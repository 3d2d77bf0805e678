// Results that are inputs, constants or each other are copied.
// RUN: hal-link %s -o %t.so && hal-run %t.so --input=2xf32=1,2 | FileCheck %s
// CHECK: output 0: 2xf32
// CHECK-NEXT: [1., 2.]
// CHECK: output 1: 2xf32
// CHECK-NEXT: [1., 2.]
// CHECK: output 2: 2xi32
// CHECK-NEXT: [7, 8]
// CHECK: output 3: 1x2xf32
// CHECK-NEXT: {{\[\[}}1., 2.]]
// CHECK: output 4: f32
// CHECK-NEXT: 3.
// CHECK: output 5: 2xf16
// CHECK-NEXT: [0.5, 0.5]
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<1x2xf32>, f32, tensor<2xf16>) {
    %c = arith.constant dense<[7, 8]> : tensor<2xi32>
    %h = arith.constant dense<0.5> : tensor<2xf16>
    %e = tensor.expand_shape %x [[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %a = tensor.extract %x[%0] : tensor<2xf32>
    %b = tensor.extract %x[%1] : tensor<2xf32>
    %s = arith.addf %a, %b : f32
    return %x, %x, %c, %e, %s, %h : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<1x2xf32>, f32, tensor<2xf16>
  }
}
