// A model whose kernel calls a function in C for each element.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O3 -fPIC -c %S/squash.c -o squash.o
// RUN: hal-compile %s -o model.so -q && %python %S/reference.py
// RUN: hal-run model.so --input=@x.npy --input=@y.npy --expect=@z.npy
// A tool may bring a function of its own into an executable: here one that computes a whole tile.
// RUN: clang -O3 -fPIC -c %S/tile.c -o tile.o && hal-import %s | hal-substitute main_dispatch_0=%S/tiled.mlir - -o tiled.mlir
// RUN: hal-translate tiled.mlir | hal-link -o tiled.so && hal-run tiled.so --input=@x.npy --input=@y.npy --expect=@z.npy
// REQUIRES: numpy
func.func private @squash(f32) -> f32 attributes {hal.objects = [{path = "squash.o"}]}

#map = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %empty = tensor.empty() : tensor<64x128xf32>
  %z = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<64x128xf32>, tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = func.call @squash(%a) : (f32) -> f32
    %p = arith.mulf %s, %b : f32
    linalg.yield %p : f32
  } -> tensor<64x128xf32>
  return %z : tensor<64x128xf32>
}
