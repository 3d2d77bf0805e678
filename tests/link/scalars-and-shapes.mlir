// Scalar arithmetic, tensors made of scalars, sizes of tensors, empty tensors.
// RUN: hal-link %s -o %t.so
// RUN: hal-run %t.so --function=scalars --input=i32=-7 --input=f32=2.25 | FileCheck %s --check-prefix=SCALARS
// RUN: hal-run %t.so --function=shapes --input=2x3xf32=1 --input=0x5xf32=1 | FileCheck %s --check-prefix=SHAPES
// RUN: hal-run %t.so --function=generate --input=i64=3 | FileCheck %s --check-prefix=GENERATE
// RUN: not hal-run %t.so --function=fails --input=i64=3 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not hal-run %t.so --function=divides --input=i64=0 2>&1 | FileCheck %s --check-prefix=DIVIDES
// RUN: not hal-run %t.so --function=generate --input=i64=-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error[program-failed]: the program fails: a tensor has a negative size
// SCALARS: output 0: i32
// SCALARS-NEXT: -4
// SCALARS: output 1: f32
// SCALARS-NEXT: 1.5
// SCALARS: output 2: i1
// SCALARS-NEXT: True
// SCALARS: output 3: i8
// SCALARS-NEXT: -7
// SCALARS: output 4: f64
// SCALARS-NEXT: -7.
// SHAPES: [2, 3, 0, 6]
// SHAPES: output 1: 0xf32
// SHAPES: output 2: 3x2xf32
// GENERATE: {{\[\[}} 0, 1],
// GENERATE-NEXT: [10, 11],
// GENERATE-NEXT: [20, 21]]
// FAILS: error[assertion-failed]: three is too many
// DIVIDES: error[program-failed]: the program fails: division by zero
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @scalars(%i: i32, %f: f32) -> (i32, f32, i1, i8, f64) {
    %2 = arith.constant 2 : i32
    %d = arith.floordivsi %i, %2 : i32
    %s = math.sqrt %f : f32
    %c = arith.cmpi slt, %i, %2 : i32
    %t = arith.trunci %i : i32 to i8
    %w = arith.sitofp %i : i32 to f64
    return %d, %s, %c, %t, %w : i32, f32, i1, i8, f64
  }
  func.func @shapes(%x: tensor<?x?xf32>, %y: tensor<?x5xf32>) -> (tensor<4xindex>, tensor<?xf32>, tensor<?x?xf32>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %a = tensor.dim %x, %0 : tensor<?x?xf32>
    %b = tensor.dim %x, %1 : tensor<?x?xf32>
    %c = tensor.dim %y, %0 : tensor<?x5xf32>
    %f = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
    %d = tensor.dim %f, %0 : tensor<?xf32>
    %all = tensor.from_elements %a, %b, %c, %d : tensor<4xindex>
    %e = tensor.collapse_shape %y [[0, 1]] : tensor<?x5xf32> into tensor<?xf32>
    %shape = tensor.from_elements %b, %a : tensor<2xindex>
    %r = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    return %all, %e, %r : tensor<4xindex>, tensor<?xf32>, tensor<?x?xf32>
  }
  func.func @generate(%n: index) -> tensor<?x2xi64> {
    %10 = arith.constant 10 : index
    %g = tensor.generate %n {
    ^bb0(%i: index, %j: index):
      %a = arith.muli %i, %10 : index
      %b = arith.addi %a, %j : index
      %v = arith.index_cast %b : index to i64
      tensor.yield %v : i64
    } : tensor<?x2xi64>
    return %g : tensor<?x2xi64>
  }
  func.func @fails(%n: index) -> index {
    %3 = arith.constant 3 : index
    %c = arith.cmpi ult, %n, %3 : index
    cf.assert %c, "three is too many"
    return %n : index
  }
  func.func @divides(%n: index) -> index {
    %3 = arith.constant 3 : index
    %q = arith.divui %3, %n : index
    return %q : index
  }
}
