// Sizes whose product is larger than memory, or that are negative, are errors and never small numbers.
// RUN: split-file %s %t
// RUN: hal-link %t/dynamic.mlir -o %t.so
// RUN: exits 1 hal-run %t.so --function=both --input=i64=-2 --input=i64=-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: exits 1 hal-run %t.so --function=both --input=i64=4294967296 --input=i64=4294967297 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: exits 1 hal-run %t.so --function=empty --input=i64=-2 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not hal-link %t/static.mlir -o %t.2.so 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not hal-link %t/argument.mlir -o %t.2.so 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// NEGATIVE: error[program-failed]: the program fails: a tensor has a negative size
// LARGE: error[program-failed]: the program fails: a tensor is larger than any memory
// EMPTY: error[program-failed]: the program fails: a tensor has a negative size
// STATIC: error[unsupported]: `tensor.empty` gives a `tensor<4611686018427387904x4xf32>`, which is larger than any memory
// ARGUMENT: error[unsupported]: argument 0 of function `@main` has type `tensor<4611686018427387904x2xf32>`, which is larger than any memory

//--- dynamic.mlir
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @both(%n: index, %m: index) -> tensor<?x?xf32> {
    %e = tensor.empty(%n, %m) : tensor<?x?xf32>
    return %e : tensor<?x?xf32>
  }
  func.func @empty(%n: index) -> tensor<0x?xf32> {
    %e = tensor.empty(%n) : tensor<0x?xf32>
    return %e : tensor<0x?xf32>
  }
}
//--- static.mlir
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main() -> f32 {
    %c0 = arith.constant 0 : index
    %e = tensor.empty() : tensor<4611686018427387904x4xf32>
    %r = tensor.extract %e[%c0, %c0] : tensor<4611686018427387904x4xf32>
    return %r : f32
  }
}
//--- argument.mlir
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main(%x: tensor<4611686018427387904x2xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %r = tensor.extract %x[%c0, %c0] : tensor<4611686018427387904x2xf32>
    return %r : f32
  }
}
