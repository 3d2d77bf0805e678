// On GPUs, too, a kernel takes what its declaration lists: push constants and parameters of 32 bits, numbers before buffers,
// bindings with numbers of their own. No GPU: lavapipe, and a driver that interprets PTX.
// RUN: rm -rf %t && split-file %s %t && cd %t && glslc axpy.comp -o axpy.spv && glslc words.comp -o words.spv && glslc narrow.comp -o narrow.spv
// RUN: clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-feature=+ptx70 -O3 -S kernels.cu -o kernels.ptx
// RUN: hal-compile model.mlir --target=vulkan,cuda:sm_80 -o p.so -q
// RUN: hal-run p.so --device=vulkan --function=axpy_main --input=f32=2.5 --input=100xf32=iota --input=100xf32=1 --output=v.npy
// RUN: with-fake-cuda hal-run p.so --device=cuda --function=axpy_main --input=f32=2.5 --input=100xf32=iota --input=100xf32=1 --output=c.npy
// RUN: %python check.py v.npy c.npy
// RUN: hal-run p.so --device=vulkan --function=words --input=i64=8589934599 --input=4xi32=0 --expect=4xi32=7,2,12,100
// RUN: with-fake-cuda hal-run p.so --device=cuda --function=words --input=i64=8589934599 --input=4xi32=0 --expect=4xi32=7,2,12,100
// Variants say what their code takes, item by item.
// RUN: hal-import model.mlir | FileCheck %s --check-prefix=FORM
// FORM: module @vulkan
// FORM: func.func private @axpy({{.*}} attributes {hal.arguments = ["result0 @ 5", "arg1 @ 0", "arg2 @ 2", "dim(arg1, 0) : i32", "arg0 : f32"], hal.export,
// FORM: module @cuda_sm_80
// FORM: func.func private @axpy({{.*}} attributes {hal.arguments = ["dim(arg1, 0) : i32", "arg0 : f32", "arg1 @ 0", "arg2 @ 1", "result0 @ 2"], hal.export,
// FORM-SAME: hal.symbol = "saxpy"
// A number that 32 bits do not hold is an error.
// RUN: not hal-run p.so --device=vulkan --function=narrow --input=i64=5000000000 --input=4xi32=0 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not with-fake-cuda hal-run p.so --device=cuda --function=narrow --input=i64=5000000000 --input=4xi32=0 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error[too-large]: kernel `narrow_of` gets the number 5000000000, and takes it in 32 bits
// What the code takes is compared with the list.
// RUN: sed 's/"arg0 : f32"/"arg0 : i32"/' model.mlir > int.mlir && exits 1 hal-import int.mlir 2>&1 | FileCheck %s --check-prefix=INT
// INT: error[wrong-signature]: object `axpy.spv` of `@axpy`: entry point `axpy` has the push constant `a`, a `f32`, at offset 4, where `arg0` is, an `i32`
// INT: hint: `hal.arguments` says what the code takes, in order
// RUN: sed 's/"dim(arg1, 0) : i32"/"dim(arg1, 0)"/' model.mlir > long.mlir && exits 1 hal-import long.mlir 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error[wrong-signature]: object `kernels.ptx` of `@axpy`: kernel `saxpy` has the parameter 0 of type `.u32`, where `dim(arg1, 0)`, of type `i64`, is passed
// RUN: sed 's/"arg1 @ 0", //' model.mlir > less.mlir && exits 1 hal-import less.mlir 2>&1 | FileCheck %s --check-prefix=LESS
// LESS: error[wrong-signature]: object `axpy.spv` of `@axpy`: entry point `axpy` uses binding 0{{.*}}, which `hal.arguments` does not pass
// RUN: sed 's/"dim(arg1, 0) : i32", "arg0 : f32", "buffers"/"arg0", "buffers"/' model.mlir > fewer.mlir && exits 1 hal-import fewer.mlir 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: error[wrong-signature]: object `kernels.ptx` of `@axpy`: kernel `saxpy` takes 5 parameters, a kernel of this interface 4
// REQUIRES: vulkan, glslc, numpy

//--- axpy.comp
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 5) buffer O { float o[]; };
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 2) readonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; float a; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < n) o[i] = a * x[i] + y[i]; }

//--- words.comp
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer O { int o[]; };
layout(push_constant) uniform P { uint low; uint high; uint bytes; uint seven; };
void main() { o[0] = int(low); o[1] = int(high); o[2] = int(bytes); o[3] = int(seven); }

//--- kernels.cu
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#include <__clang_cuda_builtin_vars.h>
extern "C" __global__ void saxpy(int n, float a, const float *x, const float *y, float *out) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
extern "C" __global__ void words(int *out, int low, int high, short bytes, long long seven) {
  out[0] = low, out[1] = high, out[2] = bytes, out[3] = (int)seven;
}
extern "C" __global__ void narrow(int *out, int n) { out[0] = n; }

//--- model.mlir
func.func private @axpy(f32, tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 3>}) attributes {
  hal.objects = [
    {path = "axpy.spv", arguments = ["result0 @ 5", "arg1 @ 0", "arg2 @ 2", "dim(arg1, 0)", "arg0 : f32"]},
    {path = "kernels.ptx", symbol = "saxpy", workgroup_size = array<i64: 64, 1, 1>, arguments = ["dim(arg1, 0) : i32", "arg0 : f32", "buffers"]}],
  hal.workgroups = @blocks}
func.func private @blocks(%x: index, %y: index, %out: index, %a: index, %n: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %count = arith.ceildivui %n, %c64 : index
  return %count, %c1, %c1 : index, index, index
}
func.func @axpy_main(%a: f32, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = call @axpy(%a, %x, %y, %n) : (f32, tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @words_of(i64, tensor<?xi32>, index) -> (tensor<?xi32> {hal.tied = 1 : i32}) attributes {
  hal.objects = [
    {path = "words.spv", arguments = ["buffers", "arg0 : words", "3 * dim(arg1, 0)", "100"]},
    {path = "kernels.ptx", symbol = "words", arguments = ["buffers", "arg0 : words", "3 * dim(arg1, 0) : i16", "100 : i64"]}],
  hal.workgroup_size = array<i64: 1, 1, 1>, hal.workgroups = array<i64: 1>}
func.func @words(%n: i64, %x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?xi32>
  %r = call @words_of(%n, %x, %size) : (i64, tensor<?xi32>, index) -> tensor<?xi32>
  return %r : tensor<?xi32>
}
func.func private @narrow_of(i64, tensor<4xi32>) -> (tensor<4xi32> {hal.tied = 1 : i32}) attributes {
  hal.objects = [{path = "narrow.spv"}, {path = "kernels.ptx"}], hal.symbol = "narrow",
  hal.workgroup_size = array<i64: 1, 1, 1>, hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "scalars : i32"]}
func.func @narrow(%n: i64, %x: tensor<4xi32>) -> tensor<4xi32> {
  %r = call @narrow_of(%n, %x) : (i64, tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

//--- narrow.comp
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer O { int o[]; };
layout(push_constant) uniform P { int n; };
void main() { o[0] = n; }

//--- check.py
import sys
import numpy as np
for file in sys.argv[1:]:
    assert np.array_equal(np.load(file), np.float32(2.5) * np.arange(100, dtype=np.float32) + 1), file
