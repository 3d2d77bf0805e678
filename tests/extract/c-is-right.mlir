// The reference loops in C give what the generated kernels give, for all kinds of operations that they know.
// REQUIRES: x86
// RUN: rm -rf %t && mkdir %t && cd %t && hal-import %s -o p.mlir && hal-compile -q p.mlir -o p.so
// RUN: hal-extract p.mlir --to=c --as=c -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not=warning
// SAID: wrote {{[0-9]+}} files
// RUN: %python %S/Inputs/replace_all.py p.mlir c q.mlir && hal-compile -q q.mlir -o q.so
// RUN: hal-benchmark p.so q.so --runs=1 --min-time=0 --warmup=0 --rtol=1e-4 -i random:1 -i random:2 -i random:3:0:100 -i random:4 -i random:5 | FileCheck %s
// CHECK: the outputs of `main` agree
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#t = affine_map<(i, j) -> (j, i)>
func.func @main(%x: tensor<12x20xf32>, %image: tensor<1x3x9x9xf32>, %n: tensor<24xi32>, %d: tensor<6xf64>, %h: tensor<16xf16>)
    -> (tensor<20x12xf32>, tensor<12xf32>, tensor<12xi64>, tensor<1x4x5x5xf32>, tensor<24xi8>, tensor<24xi1>, tensor<6xf64>, tensor<16xf16>, tensor<14x24xf32>, tensor<4xf32>, tensor<12x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  // A transpose with elementwise work and functions of libm.
  %e0 = tensor.empty() : tensor<20x12xf32>
  %r0 = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<12x20xf32>) outs(%e0 : tensor<20x12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    %2 = math.tanh %1 : f32
    %3 = arith.maximumf %2, %a : f32
    %4 = math.erf %3 : f32
    %c = arith.cmpf ogt, %a, %zero : f32
    %5 = arith.select %c, %4, %a : f32
    linalg.yield %5 : f32
  } -> tensor<20x12xf32>
  // A maximum of rows, and where it is: two results of one nest.
  %e1 = tensor.empty() : tensor<12xf32>
  %f1 = linalg.fill ins(%low : f32) outs(%e1 : tensor<12xf32>) -> tensor<12xf32>
  %e2 = tensor.empty() : tensor<12xi64>
  %i0 = arith.constant 0 : i64
  %f2 = linalg.fill ins(%i0 : i64) outs(%e2 : tensor<12xi64>) -> tensor<12xi64>
  %r1:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<12x20xf32>) outs(%f1, %f2 : tensor<12xf32>, tensor<12xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %a, %m : f32
    %1 = arith.select %c, %a, %m : f32
    %2 = arith.select %c, %jj, %at : i64
    linalg.yield %1, %2 : f32, i64
  } -> (tensor<12xf32>, tensor<12xi64>)
  // A convolution on a padded image, with a filter in the text.
  %w = arith.constant dense<[[[[1.0, 0.5], [0.25, -1.0]], [[2.0, 1.5], [0.0, -3.0]], [[1.0, 0.5], [0.25, -1.0]]],
                             [[[1.0, 0.5], [0.25, -1.0]], [[2.0, 1.5], [0.0, -3.0]], [[4.0, 0.5], [0.25, -1.0]]],
                             [[[1.0, 0.5], [0.25, -1.0]], [[2.0, 1.5], [0.5, -3.0]], [[1.0, 0.5], [0.25, -1.0]]],
                             [[[1.0, 0.5], [0.75, -1.0]], [[2.0, 1.5], [0.0, -3.0]], [[1.0, 0.5], [0.25, -9.0]]]]> : tensor<4x3x2x2xf32>
  %p = tensor.pad %image low[0, 0, 1, 0] high[0, 0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index, %e: index):
    tensor.yield %zero : f32
  } : tensor<1x3x9x9xf32> to tensor<1x3x10x10xf32>
  %e3 = tensor.empty() : tensor<1x4x5x5xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %r3 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<1x3x10x10xf32>, tensor<4x3x2x2xf32>) outs(%f3 : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  // Integers of several widths, signed and unsigned.
  %e4 = tensor.empty() : tensor<24xi8>
  %e5 = tensor.empty() : tensor<24xi1>
  %r4:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%n : tensor<24xi32>) outs(%e4, %e5 : tensor<24xi8>, tensor<24xi1>) {
  ^bb0(%a: i32, %o: i8, %q: i1):
    %seven = arith.constant 7 : i32
    %big = arith.constant 2147483600 : i32
    %1 = arith.addi %a, %big : i32
    %2 = arith.remsi %1, %seven : i32
    %3 = arith.divui %1, %seven : i32
    %4 = arith.xori %2, %3 : i32
    %5 = arith.shrsi %4, %seven : i32
    %6 = arith.subi %4, %5 : i32
    %7 = arith.trunci %6 : i32 to i8
    %8 = arith.cmpi ult, %2, %seven : i32
    linalg.yield %7, %8 : i8, i1
  } -> (tensor<24xi8>, tensor<24xi1>)
  %e6 = tensor.empty() : tensor<6xf64>
  %r6 = linalg.map { math.sqrt } ins(%d : tensor<6xf64>) outs(%e6 : tensor<6xf64>)
  %e7 = tensor.empty() : tensor<16xf16>
  %r7 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%h : tensor<16xf16>) outs(%e7 : tensor<16xf16>) {
  ^bb0(%a: f16, %o: f16):
    %wide = arith.extf %a : f16 to f32
    %1 = arith.mulf %wide, %wide : f32
    %2 = arith.truncf %1 : f32 to f16
    %3 = arith.addf %2, %a : f16
    %much = arith.extf %3 : f16 to f64
    %third = arith.constant 0.33333333333333331 : f64
    %4 = arith.mulf %much, %third : f64
    %5 = arith.truncf %4 : f64 to f16
    linalg.yield %5 : f16
  } -> tensor<16xf16>
  // Joins and slices.
  %s0 = tensor.extract_slice %x[0, 2] [12, 4] [1, 3] : tensor<12x20xf32> to tensor<12x4xf32>
  %j0 = tensor.concat dim(1) %x, %s0 : (tensor<12x20xf32>, tensor<12x4xf32>) -> tensor<12x24xf32>
  %two = arith.constant dense<3.5> : tensor<14x24xf32>
  %r8 = tensor.insert_slice %j0 into %two[1, 0] [12, 24] [1, 1] : tensor<12x24xf32> into tensor<14x24xf32>
  // A gather from a part of a row, at constant indices.
  %table = tensor.extract_slice %x[0, 0] [1, 5] [1, 1] : tensor<12x20xf32> to tensor<5xf32>
  %which = arith.constant dense<[4, 0, 2, 2]> : tensor<4xi64>
  %e9 = tensor.empty() : tensor<4xf32>
  %r9 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%which : tensor<4xi64>) outs(%e9 : tensor<4xf32>) {
  ^bb0(%a: i64, %o: f32):
    %i = arith.index_cast %a : i64 to index
    %1 = tensor.extract %table[%i] : tensor<5xf32>
    %2 = arith.negf %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  // A softmax of rows: sums and broadcasts in a chain.
  %e10 = tensor.empty() : tensor<12x20xf32>
  %m10 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r1#0 : tensor<12x20xf32>, tensor<12xf32>) outs(%e10 : tensor<12x20xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %1 = arith.subf %a, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<12x20xf32>
  %f10 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<12xf32>) -> tensor<12xf32>
  %s10 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%m10 : tensor<12x20xf32>) outs(%f10 : tensor<12xf32>) {
  ^bb0(%a: f32, %s: f32):
    %1 = arith.addf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<12xf32>
  %r10 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%m10, %s10 : tensor<12x20xf32>, tensor<12xf32>) outs(%e10 : tensor<12x20xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %1 = arith.divf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<12x20xf32>
  return %r0, %r1#0, %r1#1, %r3, %r4#0, %r4#1, %r6, %r7, %r8, %r9, %r10 : tensor<20x12xf32>, tensor<12xf32>, tensor<12xi64>, tensor<1x4x5x5xf32>, tensor<24xi8>, tensor<24xi1>, tensor<6xf64>, tensor<16xf16>, tensor<14x24xf32>, tensor<4xf32>, tensor<12x20xf32>
}
