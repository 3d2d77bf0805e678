// A model whose kernel calls a function that a plugin brings when the program is loaded.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o model.so -q && %python %S/reference.py
// RUN: clang -O3 -shared -fPIC -I%include %S/plugin.c -o plugin.so -lm
// RUN: hal-run model.so --executable-plugin=plugin.so --input=@x.npy --expect=@y.npy
// Without it:
// RUN: exits 3 hal-run model.so --input=@x.npy 2>&1 | FileCheck %s
// CHECK: error[missing-import]: the program needs function `softplus` from plugins, and no plugin is given
// REQUIRES: numpy
func.func private @softplus(f32) -> f32 attributes {hal.import}

#map = affine_map<(i) -> (i)>
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %empty = tensor.empty() : tensor<1000xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<1000xf32>) outs(%empty : tensor<1000xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = func.call @softplus(%a) : (f32) -> f32
    linalg.yield %s : f32
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}
