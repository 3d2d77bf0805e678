// A stage may be an example: a function that says what to look for, and one that takes its place. IREE's specs port so.
// RUN: split-file %s %t && cd %t && clang -O2 -fPIC -c functions.c -o functions.o
// RUN: hal-compile model.mlir -o plain.so -q && hal-run plain.so --input=200xf32=random:1 --input=200xf32=random:2 -o y.npy
// The example stands for operations of more precise types; their results are computed by the body of the other function.
// RUN: hal-opt model.mlir --stage=spec.mlir -o out.mlir 2>&1 | FileCheck %s --check-prefix=NOTE
// NOTE: note: `spec.mlir` matched 1 operation (`@mul_abs_negate` 1){{$}}
// RUN: FileCheck %s < out.mlir
// CHECK: func.func private @simple_mul_abs_negate(
// CHECK-NOT: call_mul_abs_negate
// CHECK: func.func @main
// CHECK-NOT: math.absf
// CHECK: tensor.cast %{{.*}} : tensor<200xf32> to tensor<?xf32>
// CHECK: call @simple_mul_abs_negate(
// CHECK: tensor.cast %{{.*}} : tensor<?xf32> to tensor<200xf32>
// RUN: hal-compile model.mlir -o spec.so -q --stage=input:spec.mlir --require-match && hal-run spec.so --input=200xf32=random:1 --input=200xf32=random:2 --expect=@y.npy
// RUN: hal-run spec.so --list | FileCheck %s --check-prefix=LIST
// LIST: simple_mul_abs_negate_dispatch (cpu_x86_64)
// Near misses name the first difference, in the body of a generic too.
// RUN: hal-opt near.mlir --stage='spec.mlir[mul_abs_negate]' --report-matches 2>&1 >/dev/null | FileCheck %s --check-prefix=NEAR
// NEAR: warning[no-match]: `spec.mlir[mul_abs_negate]` matched nothing (it looks for `@mul_abs_negate`)
// NEAR: `math.exp` stands where the example has `math.absf`
// Several results, divisible sizes, and what is captured from outside: an argmax.
// RUN: hal-opt argmax.mlir --stage=argmax_spec.mlir -q | FileCheck %s --check-prefix=ARGMAX
// ARGMAX-LABEL: func.func @fits
// ARGMAX: call @argmax_kernel(
// ARGMAX-LABEL: func.func @odd
// ARGMAX-NOT: call @argmax_kernel
// ARGMAX: linalg.generic
// RUN: hal-opt argmax.mlir --stage=argmax_spec.mlir --report-matches 2>&1 >/dev/null | FileCheck %s --check-prefix=ODD
// ODD: dimension 1 of argument 0, a `tensor<1x100xf32>`, is not known to be divisible by 64
// What is no example is refused before anything runs.
// RUN: exits 1 hal-opt no-such-file --stage=bad.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error[bad-example]: example `@a` has type `(tensor<4xf32>) -> tensor<4xf32>`, and is replaced by `@b` of type `(tensor<5xf32>) -> tensor<4xf32>`
// RUN: sed 's/@b}/@nobody}/' bad.mlir > nobody.mlir && exits 1 hal-opt no-such-file --stage=nobody.mlir 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error[bad-example]: example `@a` is replaced by `@nobody`, which is no function of the file
// RUN: sed 's/return %%y/return %%x/' bad.mlir > argument.mlir && exits 1 hal-opt no-such-file --stage=argument.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error[bad-example]: example `@a` returns an argument
// RUN: exits 2 hal-opt no-such-file --stage='spec.mlir[mul_abs_negat]' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error[unknown-name]: `spec.mlir` has no example `@mul_abs_negat`
// NAME: hint: did you mean `@mul_abs_negate`?
// REQUIRES: x86

//--- functions.c
#include <stddef.h>
void simple_mul_abs_negate(const float *a, const float *aligned_a, size_t offset_a, size_t size_a, size_t stride_a,
                           const float *b, const float *aligned_b, size_t offset_b, size_t size_b, size_t stride_b,
                           float *c, float *aligned_c, size_t offset_c, size_t size_c, size_t stride_c, size_t dim, size_t tid) {
  for (size_t i = tid; i < tid + 64 && i < dim; i++) {
    float p = aligned_a[offset_a + i * stride_a] * aligned_b[offset_b + i * stride_b];
    aligned_c[offset_c + i * stride_c] = p >= 0 ? -p : p;
  }
}

//--- model.mlir
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<200xf32>, %y: tensor<200xf32>) -> tensor<200xf32> {
  %e = tensor.empty() : tensor<200xf32>
  %m = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<200xf32>, tensor<200xf32>) outs(%e : tensor<200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<200xf32>
  %f = tensor.empty() : tensor<200xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%m : tensor<200xf32>) outs(%f : tensor<200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = math.absf %a : f32
    linalg.yield %p : f32
  } -> tensor<200xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<200xf32>) outs(%e : tensor<200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.negf %a : f32
    linalg.yield %p : f32
  } -> tensor<200xf32>
  %t = math.tanh %n : tensor<200xf32>
  return %t : tensor<200xf32>
}

//--- near.mlir
#id = affine_map<(d0) -> (d0)>
func.func @main(%m: tensor<200xf32>) -> tensor<200xf32> {
  %e = tensor.empty() : tensor<200xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%m : tensor<200xf32>) outs(%e : tensor<200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = math.exp %a : f32
    linalg.yield %p : f32
  } -> tensor<200xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<200xf32>) outs(%e : tensor<200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.negf %a : f32
    linalg.yield %p : f32
  } -> tensor<200xf32>
  return %n : tensor<200xf32>
}

//--- spec.mlir
func.func private @simple_mul_abs_negate(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {
  hal.objects = [{path = "functions.o"}], hal.workgroups = @count,
  hal.arguments = ["memref(arg0)", "memref(arg1)", "memref(result0)", "arg2", "64 * workgroup_id(x)"]}
func.func private @count(%a: index, %b: index, %c: index, %n: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = arith.ceildivui %n, %c64 : index
  return %x, %c1, %c1 : index, index, index
}
func.func private @call_mul_abs_negate(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?xf32>
  %0 = call @simple_mul_abs_negate(%arg0, %arg1, %dim) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @mul_abs_negate(%lhs: tensor<?xf32>, %rhs: tensor<?xf32>) -> tensor<?xf32> attributes {hal.replaced_by = @call_mul_abs_negate} {
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %lhs, %c0 : tensor<?xf32>
  %empty = tensor.empty(%dim) {"match.operation_name_only"} : tensor<?xf32>
  %mul = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%lhs, %rhs : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %in0: f32, %out: f32):
    %m = arith.mulf %in, %in0 : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  %abs = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%mul : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = math.absf %in : f32
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %neg = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%abs : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<?xf32>
  return %neg : tensor<?xf32>
}

//--- argmax.mlir
#in = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> (d0)>
func.func @fits(%x: tensor<1x128xf32>, %i: tensor<1xi64>, %m: tensor<1xf32>) -> tensor<1xi64> {
  %r:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x128xf32>) outs(%m, %i : tensor<1xf32>, tensor<1xi64>) {
  ^bb0(%a: f32, %o: f32, %p: i64):
    %6 = linalg.index 1 : index
    %7 = arith.index_cast %6 : index to i64
    %8 = arith.maximumf %a, %o : f32
    %9 = arith.cmpf ogt, %a, %o : f32
    %10 = arith.select %9, %7, %p : i64
    linalg.yield %8, %10 : f32, i64
  } -> (tensor<1xf32>, tensor<1xi64>)
  return %r#1 : tensor<1xi64>
}
func.func @odd(%x: tensor<1x100xf32>, %i: tensor<1xi64>, %m: tensor<1xf32>) -> tensor<1xi64> {
  %r:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x100xf32>) outs(%m, %i : tensor<1xf32>, tensor<1xi64>) {
  ^bb0(%a: f32, %o: f32, %p: i64):
    %6 = linalg.index 1 : index
    %7 = arith.index_cast %6 : index to i64
    %8 = arith.maximumf %a, %o : f32
    %9 = arith.cmpf ogt, %a, %o : f32
    %10 = arith.select %9, %7, %p : i64
    linalg.yield %8, %10 : f32, i64
  } -> (tensor<1xf32>, tensor<1xi64>)
  return %r#1 : tensor<1xi64>
}

//--- argmax_spec.mlir
func.func private @argmax_kernel(tensor<1x?xf32>) -> tensor<1xi64> attributes {hal.objects = [{path = "argmax.spv"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "sizes : i32"]}
func.func private @call_argmax(%x: tensor<1x?xf32>, %m: tensor<1xf32>, %i: tensor<1xi64>) -> tensor<1xi64> {
  %r = call @argmax_kernel(%x) : (tensor<1x?xf32>) -> tensor<1xi64>
  return %r : tensor<1xi64>
}
func.func private @argmax(%target: tensor<1x?xf32> {hal.divisible_by = array<i64: 1, 64>}, %empty_max: tensor<1xf32>, %empty_idx: tensor<1xi64>) -> tensor<1xi64> attributes {hal.replaced_by = @call_argmax} {
  %5:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
                         ins(%target : tensor<1x?xf32>) outs(%empty_max, %empty_idx : tensor<1xf32>, tensor<1xi64>) {
  ^bb0(%in: f32, %out: f32, %out_0: i64):
    %6 = linalg.index 1 : index
    %7 = arith.index_cast %6 : index to i64
    %8 = arith.maximumf %in, %out : f32
    %9 = arith.cmpf ogt, %in, %out : f32
    %10 = arith.select %9, %7, %out_0 : i64
    linalg.yield %8, %10 : f32, i64
  } -> (tensor<1xf32>, tensor<1xi64>)
  return %5#1 : tensor<1xi64>
}

//--- bad.mlir
func.func private @b(tensor<5xf32>) -> tensor<4xf32>
func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.replaced_by = @b} {
  %y = math.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
