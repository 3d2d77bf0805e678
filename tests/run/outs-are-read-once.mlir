// An operation that reads its out is computed once for each element, also where its user has more loops.
// RUN: hal-import %s | hal-translate -O0 --target=cpu | hal-link -o %t.so
// RUN: hal-run %t.so --device=cpu --input=i32=3 --input=3xf32=-5.0,2.5,2.875 --input=3xf32=0.5,0.5,0.5 --input=1xi8=5 --expect=3x5x4xf32=-3.0,12.0,-3.0,-3.0,-3.0,12.0,-3.0,-3.0,-3.0,12.0,-3.0,-3.0,-3.0,12.0,-3.0,-3.0,-3.0,12.0,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,51.375,-3.0,-3.0,-3.0,51.375,-3.0,-3.0,-3.0,51.375,-3.0,-3.0,-3.0,51.375,-3.0,-3.0,-3.0,51.375,-3.0,-3.0 --rtol=0 --atol=0
// RUN: hal-import %s | hal-translate -O3 --target=cpu | hal-link -o %t.so
// RUN: hal-run %t.so --device=cpu --input=i32=3 --input=3xf32=-5.0,2.5,2.875 --input=3xf32=0.5,0.5,0.5 --input=1xi8=5 --expect=3x5x4xf32=-3.0,12.0,-3.0,-3.0,-3.0,12.0,-3.0,-3.0,-3.0,12.0,-3.0,-3.0,-3.0,12.0,-3.0,-3.0,-3.0,12.0,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,49.5,-3.0,-3.0,-3.0,51.375,-3.0,-3.0,-3.0,51.375,-3.0,-3.0,-3.0,51.375,-3.0,-3.0,-3.0,51.375,-3.0,-3.0,-3.0,51.375,-3.0,-3.0 --rtol=0 --atol=0
func.func @p10000106(%v1: tensor<i32>, %v2: tensor<?xf32>, %v3: tensor<?xf32>, %v4: tensor<?xi8>) -> (tensor<?x?x?xf32>) {
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v1 : tensor<i32>) outs(%v2 : tensor<?xf32>) {
  ^bb0(%a6: i32, %b7: f32):
  %x8 = arith.sitofp %a6 : i32 to f32
  %x9 = arith.addf %x8, %b7 : f32
  linalg.yield %x9 : f32
  } -> tensor<?xf32>
  %c11 = arith.constant 0 : index
  %n12 = tensor.dim %v5, %c11 : tensor<?xf32>
  %c13 = arith.constant 5 : index
  %c14 = arith.constant 4 : index
  %e10 = tensor.empty(%n12, %c13, %c14) : tensor<?x?x?xf32>
  %c15 = arith.constant -3.0 : f32
  %f16 = linalg.fill ins(%c15 : f32) outs(%e10 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %c18 = arith.constant 0 : index
  %n19 = tensor.dim %v5, %c18 : tensor<?xf32>
  %c20 = arith.constant 5 : index
  %c21 = arith.constant 5 : index
  %e17 = tensor.empty(%n19, %c20, %c21) : tensor<?x?x?xbf16>
  %c22 = arith.constant -3.0 : bf16
  %f23 = linalg.fill ins(%c22 : bf16) outs(%e17 : tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16>
  %r24:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0)>, affine_map<(d0, d1, d2, d3) -> (d0)>, affine_map<(d0, d1, d2, d3) -> (d0)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, 1)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%v3, %v3, %v5, %v4 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi8>) outs(%f16, %f23 : tensor<?x?x?xf32>, tensor<?x?x?xbf16>) {
  ^bb0(%a25: f32, %a26: f32, %a27: f32, %a28: i8, %b29: f32, %b30: bf16):
  %x31 = arith.sitofp %a28 : i8 to f32
  %x32 = arith.addf %x31, %a27 : f32
  %x33 = arith.addf %b29, %x32 : f32
  linalg.yield %x33, %b30 : f32, bf16
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xbf16>)
  return %r24#0 : tensor<?x?x?xf32>
}
