// What operations take for granted about sizes becomes checks; one that follows from others is not made.
// RUN: hal-import %s -o %t.mlir && FileCheck %s < %t.mlir
// RUN: hal-translate %t.mlir | hal-link -o %t.so
// RUN: hal-run %t.so --function=layers --input=2x3xf32=1 --input=3x4xf32=1 --input=4xf32=1 | FileCheck %s --check-prefix=LAYERS
// RUN: exits 1 hal-run %t.so --function=layers --input=2x3xf32=1 --input=5x4xf32=1 --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=MATMUL
// RUN: exits 1 hal-run %t.so --function=layers --input=2x3xf32=1 --input=3x4xf32=1 --input=5xf32=1 2>&1 | FileCheck %s --check-prefix=BIAS
// RUN: hal-run %t.so --function=window --input=5xf32=1 --input=3xf32=1 --input=i64=3 | FileCheck %s --check-prefix=WINDOW
// RUN: hal-run %t.so --function=window --input=1xf32=1 --input=3xf32=1 --input=i64=0 | FileCheck %s --check-prefix=EMPTY
// RUN: exits 1 hal-run %t.so --function=window --input=5xf32=1 --input=3xf32=1 --input=i64=4 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: exits 1 hal-run %t.so --function=window --input=5xf32=1 --input=3xf32=1 --input=i64=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: hal-run %t.so --function=slices --input=5xf32=1 --input=i64=1 --input=i64=4 | FileCheck %s --check-prefix=SLICE
// RUN: hal-run %t.so --function=slices --input=5xf32=1 --input=i64=9 --input=i64=0 | FileCheck %s --check-prefix=NO-SLICE
// RUN: exits 1 hal-run %t.so --function=slices --input=5xf32=1 --input=i64=2 --input=i64=4 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: exits 1 hal-run %t.so --function=slices --input=5xf32=1 --input=i64=-1 --input=i64=4 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: exits 1 hal-run %t.so --function=shapes --input=6xf32=1 --input=i64=4 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: exits 1 hal-run %t.so --function=shapes --input=0xf32=1 --input=i64=-4 2>&1 | FileCheck %s --check-prefix=MINUS
// RUN: exits 1 hal-run %t.so --function=joins --input=2x3xf32=1 --input=2x4xf32=1 --input=i64=0 2>&1 | FileCheck %s --check-prefix=CONCAT
// RUN: exits 1 hal-run %t.so --function=joins --input=2x3xf32=1 --input=2x3xf32=1 --input=i64=4 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: exits 1 hal-run %t.so --function=joins --input=2x3xf32=1 --input=2x3xf32=1 --input=i64=-1 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: exits 1 hal-run %t.so --function=loops --input=8xf32=1 --input=i64=0 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: exits 1 hal-run %t.so --function=branch --input=i1=1 --input=3xf32=1 --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: hal-run %t.so --function=branch --input=i1=0 --input=3xf32=1 --input=4xf32=1 | FileCheck %s --check-prefix=OTHERWISE
// RUN: exits 1 hal-run %t.so --function=casts --input=3xf32=1 2>&1 | FileCheck %s --check-prefix=CAST
// LAYERS: [5., 5., 5., 5.]
// MATMUL: error[assertion-failed]: `linalg.matmul` of `@layers`, line [[#MM:]]: dimension 1 of operand 0 is 3, dimension 0 of operand 1 is 5; they must be equal
// BIAS: error[assertion-failed]: `linalg.generic` of `@layers`, line {{[0-9]+}}: dimension 1 of operand 0 is 4, dimension 0 of operand 1 is 5; they must be equal
// WINDOW: [3., 3., 3.]
// EMPTY: 0xf32
// OUTSIDE: `linalg.conv_1d` of `@window`, line {{[0-9]+}}: indices of dimension 0 of operand 0 reach 5, beyond its size 5
// NEGATIVE: `tensor.empty` of `@window`, line {{[0-9]+}}: dimension 0 of its result has size -2
// SLICE: [2., 2., 2., 2.]
// NO-SLICE: 0xf32
// FAR: `tensor.extract_slice` of `@slices`, line {{[0-9]+}}: dimension 0: 4 elements from 2 do not lie in a size of 5
// BEFORE: `tensor.extract_slice` of `@slices`, line {{[0-9]+}}: dimension 0: 4 elements from -1 do not lie in a size of 5
// EXPAND: `tensor.expand_shape` of `@shapes`, line {{[0-9]+}}: dimension 0 of its operand is 6, that of what it becomes 8; they must be equal
// MINUS: `tensor.expand_shape` of `@shapes`, line {{[0-9]+}}: dimension 0 of its result has size -4
// CONCAT: `tensor.concat` of `@joins`, line {{[0-9]+}}: dimension 1 of operand 0 is 3, of operand 1 4; they must be equal
// ELEMENT: `tensor.extract` of `@joins`, line {{[0-9]+}}: index {{4|-1}} of dimension 0 lies outside of size 4
// STEP: `scf.for` of `@loops`, line {{[0-9]+}}: the step of the loop is 0; it must be positive
// BRANCH: `arith.addf` of `@branch`, line {{[0-9]+}}: dimension 0 of operand 0 is 3, of operand 1 4; they must be equal
// OTHERWISE: [1., 1., 1.]
// CAST: `tensor.cast` of `@casts`, line {{[0-9]+}}: dimension 0 of its operand is 3; it must be 4

// CHECK: func.func private @check_0(i1, index, index) attributes {hal.check = "`linalg.matmul` of `@layers`
#id = affine_map<(d0, d1) -> (d0, d1)>
// Two checks: what the product is made of, and the bias; the rest follows.
// CHECK-LABEL: func.func @layers(
// CHECK-COUNT-2: call @check
// CHECK-NOT: call @check
// CHECK: call @layers_dispatch
// CHECK-NOT: call @check
// CHECK: return
func.func @layers(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %bias = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r, %c : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %one = arith.addf %bias, %e : tensor<?x?xf32>
  %flat = tensor.collapse_shape %bias [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %back = tensor.expand_shape %flat [[0, 1]] output_shape [%m, %n] : tensor<?xf32> into tensor<?x?xf32>
  %sum = arith.mulf %back, %bias : tensor<?x?xf32>
  %root = math.sqrt %sum : tensor<?x?xf32>
  %again = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%root, %c : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %again : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @window(
// CHECK-COUNT-2: call @check
// CHECK-NOT: call @check
func.func @window(%x: tensor<?xf32>, %w: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Every second element of a window: as many as there is room for, which needs no check.
// CHECK-LABEL: func.func @strides(
// CHECK-NOT: call @check_
// CHECK: return
func.func @strides(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %h = tensor.dim %x, %c0 : tensor<?xf32>
  %h1 = arith.addi %h, %c1 : index
  %n = arith.divsi %h1, %c2 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @slices(%x: tensor<5xf32>, %from: index, %count: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %x[%from] [%count] [1] : tensor<5xf32> to tensor<?xf32>
  %r = arith.addf %s, %s : tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @shapes(%x: tensor<?xf32>, %n: index) -> tensor<?x2xf32> {
  %s = tensor.expand_shape %x [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %s : tensor<?x2xf32>
}

func.func @joins(%x: tensor<2x?xf32>, %y: tensor<2x?xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c = tensor.concat dim(0) %x, %y : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<4x?xf32>
  %e = tensor.extract %c[%i, %c0] : tensor<4x?xf32>
  return %e : f32
}

func.func @loops(%x: tensor<8xf32>, %step: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %c8 step %step iter_args(%y = %x) -> tensor<8xf32> {
    %z = tensor.insert %one into %y[%i] : tensor<8xf32>
    scf.yield %z : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A branch that does not run needs nothing.
func.func @branch(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    %s = arith.addf %x, %y : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @casts(%x: tensor<?xf32>) -> tensor<4xf32> {
  %c = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %r = math.exp %c : tensor<4xf32>
  return %r : tensor<4xf32>
}
