// The same program gives the same bytes, as text or bytecode, whatever the names of files and folders.
// RUN: rm -rf %t && mkdir -p %t/a %t/b/c
// RUN: hal-link %s -o %t/a/p.so
// RUN: hal-opt %s --emit=bytecode | hal-link -o %t/b/c/q.so
// RUN: cmp %t/a/p.so %t/b/c/q.so
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
    %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    return %x, %c : tensor<2xf32>, tensor<3xf32>
  }
}
