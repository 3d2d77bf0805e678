// What quantises a concatenation quantises its pieces: executables store bytes where they compute, and no executable moves them.
// RUN: hal-import %s -o %t.mlir && FileCheck %s < %t.mlir
// RUN: hal-translate %t.mlir | hal-link -o %t.so
// RUN: hal-run %t.so --function=quantised --input=1x64x2xf32=1.5 --input=1x64x3xf32=-2 --input=64xf32=2 | FileCheck %s --check-prefix=SUMS
// RUN: hal-run %t.so --function=open --input=2x4xf32=2.5 --input=3x4xf32=7 | FileCheck %s --check-prefix=OPEN
// SUMS: 1x64x5xi8
// SUMS: 6, 6, -4, -4, -4
// OPEN: 5x4xi8
// OPEN: 2, 2, 2, 2
// OPEN: 7, 7, 7, 7]

// What has an element for each row is the same for all pieces. Sizes may be those that only a run knows. Numbers stay wide where one depends on
// its place, where others read the wide ones, too, and where others have an element for each column.
// CHECK-LABEL: func.func @quantised(
// CHECK: call @{{.*}}_i8({{.*}}) : (tensor<1x64x2xf32>, tensor<64xf32>) -> tensor<1x64x2xi8>
// CHECK: call @{{.*}}_i8({{.*}}) : (tensor<1x64x3xf32>, tensor<64xf32>) -> tensor<1x64x3xi8>
// CHECK: call @{{.*}}_concat_1x64x5_i8({{.*}}) : (tensor<1x64x2xi8>, tensor<1x64x3xi8>) -> tensor<1x64x5xi8>
// CHECK-LABEL: func.func @open(
// CHECK: call @{{.*}}_concat_Dx4_i8({{.*}}) : (tensor<?x4xi8>, tensor<?x4xi8>, index)
// CHECK-LABEL: func.func @place(
// CHECK: call @{{.*}}_concat_4x6_f32(
// CHECK-LABEL: func.func @read_twice(
// CHECK: call @{{.*}}_concat_4x6_f32(
// CHECK-LABEL: func.func @columns(
// CHECK: call @{{.*}}_concat_4x6_f32(
func.func @quantised(%a: tensor<1x64x2xf32>, %b: tensor<1x64x3xf32>, %s: tensor<64xf32>) -> tensor<1x64x5xi8> {
  %e = tensor.empty() : tensor<1x64x2xf32>
  %f = tensor.empty() : tensor<1x64x3xf32>
  %x = linalg.add ins(%a, %a : tensor<1x64x2xf32>, tensor<1x64x2xf32>) outs(%e : tensor<1x64x2xf32>) -> tensor<1x64x2xf32>
  %y = linalg.exp ins(%b : tensor<1x64x3xf32>) outs(%f : tensor<1x64x3xf32>) -> tensor<1x64x3xf32>
  %z = linalg.log ins(%y : tensor<1x64x3xf32>) outs(%f : tensor<1x64x3xf32>) -> tensor<1x64x3xf32>
  %c = tensor.concat dim(2) %x, %z : (tensor<1x64x2xf32>, tensor<1x64x3xf32>) -> tensor<1x64x5xf32>
  %g = tensor.empty() : tensor<1x64x5xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(n, c, w) -> (n, c, w)>, affine_map<(n, c, w) -> (c)>, affine_map<(n, c, w) -> (n, c, w)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %s : tensor<1x64x5xf32>, tensor<64xf32>) outs(%g : tensor<1x64x5xi8>) {
  ^bb0(%i: f32, %j: f32, %o: i8):
    %m = arith.mulf %i, %j : f32
    %r = math.roundeven %m : f32
    %n = arith.fptosi %r : f32 to i8
    linalg.yield %n : i8
  } -> tensor<1x64x5xi8>
  return %q : tensor<1x64x5xi8>
}

func.func @open(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xi8> {
  %c0 = arith.constant 0 : index
  %c = tensor.concat dim(0) %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %n = tensor.dim %c, %c0 : tensor<?x4xf32>
  %g = tensor.empty(%n) : tensor<?x4xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<?x4xf32>) outs(%g : tensor<?x4xi8>) {
  ^bb0(%i: f32, %o: i8):
    %k = arith.fptosi %i : f32 to i8
    linalg.yield %k : i8
  } -> tensor<?x4xi8>
  return %q : tensor<?x4xi8>
}

func.func @place(%a: tensor<4x2xf32>, %b: tensor<4x4xf32>) -> tensor<4x6xi8> {
  %c = tensor.concat dim(1) %a, %b : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<4x6xf32>
  %g = tensor.empty() : tensor<4x6xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<4x6xf32>) outs(%g : tensor<4x6xi8>) {
  ^bb0(%i: f32, %o: i8):
    %at = linalg.index 1 : index
    %w = arith.index_cast %at : index to i32
    %f = arith.sitofp %w : i32 to f32
    %m = arith.addf %i, %f : f32
    %k = arith.fptosi %m : f32 to i8
    linalg.yield %k : i8
  } -> tensor<4x6xi8>
  return %q : tensor<4x6xi8>
}

func.func @read_twice(%a: tensor<4x2xf32>, %b: tensor<4x4xf32>) -> (tensor<4x6xf32>, tensor<4x6xi8>) {
  %c = tensor.concat dim(1) %a, %b : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<4x6xf32>
  %g = tensor.empty() : tensor<4x6xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<4x6xf32>) outs(%g : tensor<4x6xi8>) {
  ^bb0(%i: f32, %o: i8):
    %k = arith.fptosi %i : f32 to i8
    linalg.yield %k : i8
  } -> tensor<4x6xi8>
  return %c, %q : tensor<4x6xf32>, tensor<4x6xi8>
}

func.func @columns(%a: tensor<4x2xf32>, %b: tensor<4x4xf32>, %s: tensor<6xf32>) -> tensor<4x6xi8> {
  %c = tensor.concat dim(1) %a, %b : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<4x6xf32>
  %g = tensor.empty() : tensor<4x6xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %s : tensor<4x6xf32>, tensor<6xf32>) outs(%g : tensor<4x6xi8>) {
  ^bb0(%i: f32, %j: f32, %o: i8):
    %m = arith.mulf %i, %j : f32
    %k = arith.fptosi %m : f32 to i8
    linalg.yield %k : i8
  } -> tensor<4x6xi8>
  return %q : tensor<4x6xi8>
}
