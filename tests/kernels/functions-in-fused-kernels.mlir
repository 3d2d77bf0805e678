// A function is called lane by lane in a vectorised kernel: after a product, in odd sizes, on several types.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -x c -c %S/Inputs/mix.c -o mix.o
// RUN: hal-import %s | hal-translate --explain -o o.mlir 2>&1 | FileCheck %s && hal-link o.mlir -o c.so
// CHECK: @main_dispatch_0::{{.*}}matmul{{.*}}: tiled and vectorised
// The same function in MLIR.
// RUN: sed 's/^func.func private @mix.*/func.func private @mix(%%a: f32, %%n: index, %%k: i32, %%d: f64) -> f32 {/; s/^\/\/ +//' %s > mlir.mlir && hal-compile mlir.mlir -o m.so -q
// RUN: hal-run m.so --input=37x19xf32=random:1 --input=19x53xf32=random:2 --input=53xi32=iota -o y.npy
// RUN: hal-run c.so --input=37x19xf32=random:1 --input=19x53xf32=random:2 --input=53xi32=iota --expect=@y.npy
// Without optimisation, too.
// RUN: hal-compile %s -O0 -o z.so -q && hal-run z.so --input=37x19xf32=random:1 --input=19x53xf32=random:2 --input=53xi32=iota --expect=@y.npy
func.func private @mix(f32, index, i32, f64) -> f32 attributes {hal.objects = [{path = "mix.o"}]}
// +  %i = arith.index_cast %n : index to i64
// +  %f = arith.sitofp %i : i64 to f32
// +  %g = arith.sitofp %k : i32 to f32
// +  %h = arith.truncf %d : f64 to f32
// +  %s = arith.mulf %a, %h : f32
// +  %t = arith.addf %f, %g : f32
// +  %r = arith.addf %s, %t : f32
// +  return %r : f32
// +}
#m = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j)>
func.func @main(%a: tensor<37x19xf32>, %b: tensor<19x53xf32>, %k: tensor<53xi32>) -> tensor<37x53xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f64
  %e = tensor.empty() : tensor<37x53xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<37x53xf32>) -> tensor<37x53xf32>
  %p = linalg.matmul ins(%a, %b : tensor<37x19xf32>, tensor<19x53xf32>) outs(%z : tensor<37x53xf32>) -> tensor<37x53xf32>
  %y = linalg.generic {indexing_maps = [#m, #r, #m], iterator_types = ["parallel", "parallel"]} ins(%p, %k : tensor<37x53xf32>, tensor<53xi32>) outs(%e : tensor<37x53xf32>) {
  ^bb0(%x: f32, %n: i32, %o: f32):
    %j = linalg.index 1 : index
    %v = func.call @mix(%x, %j, %n, %half) : (f32, index, i32, f64) -> f32
    linalg.yield %v : f32
  } -> tensor<37x53xf32>
  return %y : tensor<37x53xf32>
}
