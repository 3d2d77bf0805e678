// A function by hand takes numbers that C passes alike everywhere, and memrefs; other types are refused at the declaration.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c %S/Inputs/squash.c -o squash.o
// RUN: hal-import %s -o p.mlir && exits 1 hal-translate p.mlir 2>&1 | FileCheck %s
// CHECK: argument 0 of `@squash` has type `f16`, which a hand-written function cannot have
// CHECK: note: it takes memrefs of numbers, f32, f64, i32, i64 and index, and returns at most one number
// RUN: sed -e '/truncf/d; /extf/d' -e 's/@squash(f16) -> f16/@squash(f32) -> (f32, f32)/' -e 's/%%s = func.call .*/%%s:2 = func.call @squash(%%x) : (f32) -> (f32, f32)/' -e 's/yield %%v/yield %%s#1/' %s > two.mlir
// RUN: hal-import two.mlir -o p.mlir && exits 1 hal-translate p.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: `@squash` returns 2 values, which a hand-written function cannot have
// RUN: exits 1 hal-translate %S/Inputs/odd-memrefs.mlir 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: argument 0 of `@f` has type `memref<{{.*}}>`, which a hand-written function cannot have
#v = affine_map<(d0) -> (d0)>
func.func private @squash(f16) -> f16 attributes {hal.objects = [{path = "squash.o"}]}
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = arith.truncf %x : f32 to f16
    %s = func.call @squash(%t) : (f16) -> f16
    %v = arith.extf %s : f16 to f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
