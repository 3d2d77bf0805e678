// Private functions are inlined wherever they are called; recursion is refused.
// RUN: hal-link %s -o %t.so && hal-run %t.so --input=2xf32=1,2 | FileCheck %s
// RUN: sed "s/%b = call @twice(%a) : (tensor<?xf32>) -> tensor<?xf32>/%b:2 = call @caller(%a) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)/" %s | not hal-link -o %t.2.so 2>&1 | FileCheck %s --check-prefix=RECURSION
// CHECK: output 0: 4xf32
// CHECK-NEXT: [1., 2., 1., 2.]
// CHECK: output 1: 8xf32
// RECURSION: error[unsupported]: function `@caller` calls itself, which is not supported
// RECURSION: hint: write it as a loop
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = arith.constant 0 : index
    %2 = arith.constant 2 : index
    %d = tensor.dim %x, %0 : tensor<?xf32>
    %n = arith.muli %d, %2 : index
    %e = tensor.empty(%n) : tensor<?xf32>
    %a = tensor.insert_slice %x into %e[0] [%d] [1] : tensor<?xf32> into tensor<?xf32>
    %b = tensor.insert_slice %x into %a[%d] [%d] [1] : tensor<?xf32> into tensor<?xf32>
    return %b : tensor<?xf32>
  }
  func.func private @caller(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %a = call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %b = call @twice(%a) : (tensor<?xf32>) -> tensor<?xf32>
    return %a, %b : tensor<?xf32>, tensor<?xf32>
  }
  func.func @main(%x: tensor<2xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %d = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
    %r:2 = call @caller(%d) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
  }
}
