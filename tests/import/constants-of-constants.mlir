// What depends on constants alone is computed at import: the program keeps the result, and loses what nothing else needs. Bytes stay bytes: as floats
// they would be four times as large. What is computed cheaply from little and is large is computed in each run.
// RUN: hal-import %s --weights-to=embed -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: hal-translate %t.mlir | hal-link -o %t.so
// RUN: hal-run %t.so --function=projected --input=2x3xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=PROJECTED
// RUN: hal-run %t.so --function=bytes --input=8xf32=0 | FileCheck %s --check-prefix=BYTES

// CHECK-NOT: 5.000000e+00
// CHECK: func.func @projected(
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<{{\[\[}}7.000000e+00, 1.000000e+01], [1.500000e+01, 2.200000e+01], [2.300000e+01, 3.400000e+01]]> : tensor<3x2xf32>
// CHECK-NEXT: call @projected_dispatch_0_matmul_2x2x3_f32(%{{.*}}, %[[C]])
// CHECK: func.func @table(
// CHECK-NEXT: arith.constant dense<[1.000000e+00, 2.71828175, 7.3890562, 20.085537]> : tensor<4xf32>
// CHECK: func.func @bytes(
// CHECK-NEXT: arith.constant dense<[1, -2, 3, -4, 5, -6, 7, -8]> : tensor<8xi8>
// CHECK: func.func @repeated(
// CHECK-NOT: ml_program.global_load_const
// CHECK: call @repeated_dispatch_0

// PROJECTED: array({{\[\[}}106., 156.],
// PROJECTED-NEXT: [241., 354.]]
// BYTES: [ 0.5, -1. ,  1.5, -2. ,  2.5, -3. ,  3.5, -4. ]

#id = affine_map<(d0) -> (d0)>
func.func @projected(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %b = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %w = linalg.matmul ins(%a, %b : tensor<3x2xf32>, tensor<2x2xf32>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  %e2 = tensor.empty() : tensor<2x2xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x2xf32>) outs(%f2 : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
func.func @table(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %angles = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %v = arith.sitofp %n : i32 to f32
    %s = math.exp %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %r = arith.mulf %x, %angles : tensor<4xf32>
  return %r : tensor<4xf32>
}
// Bytes stay bytes: they would be four times as large as floats.
func.func @bytes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %q = arith.constant dense<[1, -2, 3, -4, 5, -6, 7, -8]> : tensor<8xi8>
  %s = arith.constant dense<0.5> : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%q : tensor<8xi8>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: i8, %o: f32):
    %v = arith.sitofp %in : i8 to f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %m = arith.mulf %d, %s : tensor<8xf32>
  %r = arith.addf %x, %m : tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @repeated(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = tensor.extract_slice %a[0] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %c = arith.constant 3 : index
  %e = tensor.empty() : tensor<512x512xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<1xf32>) outs(%e : tensor<512x512xf32>) {
  ^bb0(%in: f32, %o: f32):
    %i = linalg.index 0 : index
    %m = arith.remui %i, %c : index
    %n = arith.index_cast %m : index to i32
    %f = arith.sitofp %n : i32 to f32
    %v = arith.addf %in, %f : f32
    linalg.yield %v : f32
  } -> tensor<512x512xf32>
  %r = arith.addf %x, %t : tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}
