// A kernel takes what its declaration lists, in that order: 32-bit numbers, floats, no sizes, pointers with offsets, memrefs.
// RUN: rm -rf %t && split-file %s %t && cd %t && clang -O2 -fPIC -I%include -c kernels.c -o kernels.o
// RUN: hal-compile model.mlir -o p.so -q
// RUN: hal-run p.so --function=axpy_main --input=f32=2.5 --input=100xf32=iota --input=100xf32=1 --output=axpy.npy && %python check.py axpy
// RUN: hal-run p.so --function=column_sums --input=3x5xf32=iota --expect=5xf32=15,18,21,24,27
// RUN: hal-run p.so --function=widths --input=i8=-3 --input=i16=-300 --input=i64=4294967298 --input=f64=0.5 --input=i1=1 --expect=6xf64=-3,-300,2,1,0.5,1
// RUN: hal-run p.so --function=twice --input=7xf32=3 --expect=7xf32=6
// RUN: hal-run p.so --function=static --input=2x3xf32=1 --expect=1xf32=6
// The export that calls the code is one like any other: it can be read, extracted and measured.
// RUN: hal-import model.mlir -o e.mlir && FileCheck %s --check-prefix=SHIM < e.mlir
// SHIM: module @axpy_kernel attributes {hal.executable}
// SHIM: llvm.func @axpy(i32 {llvm.signext}, f32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) attributes {hal.objects = [
// SHIM: llvm.func @axpy_dispatch(
// SHIM: func.func private @axpy({{.*}}) {{.*}}hal.entry = @axpy_kernel::@axpy_dispatch
// SHIM: llvm.func @double_in_place(
// SHIM: llvm.func @twice_of(
// RUN: hal-import model.mlir | hal-translate -o o.mlirbc && hal-link o.mlirbc -o q.so && cmp p.so q.so
// A number that the code has no bits for is no other number: the kernel stops.
// RUN: not hal-run p.so --function=narrow --input=i64=5000000000 --input=1xf32=0 2>&1 | FileCheck %s --check-prefix=STOPS
// STOPS: kernel `narrow
// RUN: hal-run p.so --function=narrow --input=i64=5 --input=1xf32=0 --expect=1xf32=5
// REQUIRES: numpy

//--- kernels.c
#include <halyard/kernel.h>
#include <stdbool.h>
#include <stddef.h>
// A signature as in a library: numbers first.
void axpy(int n, float a, const float *x, const float *y, float *out, size_t start, size_t most) {
  for (size_t i = start; i < start + most && i < (size_t)n; i++) out[i] = a * x[i] + y[i];
}
// MLIR's descriptors.
void column_sums(const float *base, const float *x, long offset, long rows, long columns, long row, long column, float *out) {
  for (long j = 0; j < columns; j++) {
    out[j] = 0;
    for (long i = 0; i < rows; i++) out[j] += x[offset + i * row + j * column];
  }
}
void widths(double *out, signed char a, short b, int low, int high, double c, bool d) {
  out[0] = a, out[1] = b, out[2] = low, out[3] = high, out[4] = c, out[5] = d;
}
// Only another name than the declaration: the arguments are those of the kernel ABI.
void double_in_place(float *x, int64_t n, int64_t same, const hal_workgroup_t *wg) {
  if (wg->id[0] == 0) for (int64_t i = 0; i < n; i++) x[i] *= 2;
}
void sum_all(float *out, unsigned bytes, const float *x) {
  out[0] = 0;
  for (unsigned i = 0; i < bytes / 4; i++) out[0] += x[i];
}
void narrow(float *out, int n) { out[0] = n; }

//--- model.mlir
func.func private @axpy(f32, tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 3>}) attributes {
  hal.objects = [{path = "kernels.o"}], hal.workgroups = @blocks,
  hal.arguments = ["dim(arg1, 0) : i32", "arg0", "buffers", "32 * workgroup_id(x)", "32"]}
func.func private @blocks(%x: index, %y: index, %out: index, %a: index, %n: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %count = arith.ceildivui %n, %c32 : index
  return %count, %c1, %c1 : index, index, index
}
func.func @axpy_main(%a: f32, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = call @axpy(%a, %x, %y, %n) : (f32, tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @sums(tensor<3x?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {
  hal.objects = [{path = "kernels.o", symbol = "column_sums"}], hal.workgroups = array<i64: 1>,
  hal.arguments = ["memref(arg0)", "result0"]}
func.func @column_sums(%x: tensor<3x?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<3x?xf32>
  %r = call @sums(%x, %n) : (tensor<3x?xf32>, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @width(i8, i16, i64, f64, i1) -> tensor<6xf64> attributes {
  hal.objects = [{path = "kernels.o"}], hal.workgroups = array<i64: 1>, hal.symbol = "widths",
  hal.arguments = ["result0", "arg0 : i8", "arg1 : i16", "low(arg2)", "high(arg2)", "arg3", "arg4 : i8"]}
func.func @widths(%a: i8, %b: i16, %c: i64, %d: f64, %e: i1) -> tensor<6xf64> {
  %r = call @width(%a, %b, %c, %d, %e) : (i8, i16, i64, f64, i1) -> tensor<6xf64>
  return %r : tensor<6xf64>
}
func.func private @twice_of(tensor<?xf32>) -> (tensor<?xf32> {hal.tied = 0 : i32}) attributes {
  hal.objects = [{path = "kernels.o"}], hal.workgroups = array<i64: 2>, hal.symbol = "double_in_place"}
func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @twice_of(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @sum_all(tensor<2x3xf32>) -> tensor<1xf32> attributes {
  hal.objects = [{path = "kernels.o"}], hal.workgroups = array<i64: 1>,
  hal.arguments = ["result0", "4 * dim(arg0, 0) * dim(arg0, 1) : i32", "arg0"]}
func.func @static(%x: tensor<2x3xf32>) -> tensor<1xf32> {
  %r = call @sum_all(%x) : (tensor<2x3xf32>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}
func.func private @narrowed(index, tensor<1xf32>) -> (tensor<1xf32> {hal.tied = 1 : i32}) attributes {
  hal.objects = [{path = "kernels.o"}], hal.workgroups = array<i64: 1>, hal.symbol = "narrow",
  hal.arguments = ["buffers", "arg0 : i32"]}
func.func @narrow(%n: index, %x: tensor<1xf32>) -> tensor<1xf32> {
  %r = call @narrowed(%n, %x) : (index, tensor<1xf32>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}

//--- check.py
import sys
import numpy as np
x = np.arange(100, dtype=np.float32)
assert np.array_equal(np.load(sys.argv[1] + ".npy"), np.float32(2.5) * x + 1)
