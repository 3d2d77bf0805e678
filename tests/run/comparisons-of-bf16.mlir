// Comparisons of bf16 with constants, whose result is widened to words.
// RUN: hal-compile %s -o %t.so
// RUN: hal-run %t.so --input="16xbf16=-0.25 1 2 0.125 0.1 nan 0 0 0 0 0 0 0 5 5 5" | FileCheck %s
// CHECK: array([1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0], dtype=int16)
#map = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<16xbf16>) -> tensor<16xi16> {
  %e = tensor.empty() : tensor<16xi16>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<16xbf16>) outs(%e : tensor<16xi16>) {
  ^bb0(%in: bf16, %o: i16):
    %c = arith.constant 0.125 : bf16
    %g = arith.cmpf ogt, %c, %in : bf16
    %w = arith.extui %g : i1 to i16
    linalg.yield %w : i16
  } -> tensor<16xi16>
  return %r : tensor<16xi16>
}
