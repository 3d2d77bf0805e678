// A function called in the body of an operation is linked into the kernel, once for all kernels that call it.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c %S/Inputs/squash.c -o squash.o
// RUN: hal-import %s -o p.mlir && FileCheck %s < p.mlir
// RUN: hal-translate p.mlir -o o.mlir && hal-link o.mlir -o p.so && hal-run p.so --input=8xf32=3 --expect=8xf32=0.75 --expect=4x2xf32=0.75
// The declaration stands beside each export that calls it, with its objects.
// CHECK: module @main_dispatch_0 attributes {hal.executable}
// CHECK-NEXT: func.func private @squash(f32) -> f32 attributes {hal.objects = [{objects = [{data = dense_resource<
// CHECK: module @main_dispatch_1 attributes {hal.executable}
// CHECK-NEXT: func.func private @squash(f32) -> f32
// CHECK-NOT: {{^}}  func.func private @squash
// RUN: hal-translate p.mlir --explain -o o.mlir 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: needs squash
// The file is not needed any more, the driver does the same.
// RUN: hal-compile %s -o q.so -q && rm squash.o && hal-translate p.mlir | hal-link -o r.so && cmp q.so r.so
#v = affine_map<(d0) -> (d0)>
#m = affine_map<(d0, d1) -> (d0, d1)>
func.func private @squash(f32) -> f32 attributes {hal.objects = [{path = "squash.o"}]}
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<4x2xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = func.call @squash(%i) : (f32) -> f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %y = tensor.expand_shape %x [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
  %f = tensor.empty() : tensor<4x2xf32>
  %b = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x2xf32>) outs(%f : tensor<4x2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = func.call @squash(%i) : (f32) -> f32
    linalg.yield %v : f32
  } -> tensor<4x2xf32>
  return %a, %b : tensor<8xf32>, tensor<4x2xf32>
}
