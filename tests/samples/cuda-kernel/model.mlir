// A model that calls a kernel in CUDA between operations of its own.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-feature=+ptx70 -O3 -S %S/rms_norm.cu -o rms_norm.ptx
// RUN: hal-compile %s --target=cuda:sm_80 -o model.so -q && %python %S/../c-kernel/reference.py
// RUN: with-fake-cuda hal-run model.so --device=cuda --input=@x.npy --input=@weight.npy --expect=@y.npy
// RUN: hal-run model.so --list | FileCheck %s
// CHECK: rms_norm (cuda_sm_80): 3 bindings, 3 constants
// REQUIRES: numpy
func.func private @rms_norm(tensor<?x256xf32>, tensor<256xf32>, index) -> (tensor<?x256xf32> {hal.dims = array<i64: 2>})
  attributes {hal.objects = [{path = "rms_norm.ptx", workgroup_size = array<i64: 64, 1, 1>}], hal.workgroups = @one_a_row}

// From the constants of the kernel to the number of workgroups in x, y and z.
func.func private @one_a_row(%x_rows: index, %out_rows: index, %rows: index) -> (index, index, index) {
  %one = arith.constant 1 : index
  return %rows, %one, %one : index, index, index
}

func.func @main(%x: tensor<?x256xf32>, %weight: tensor<256xf32>) -> tensor<?x256xf32> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : tensor<?x256xf32>
  %y = call @rms_norm(%x, %weight, %rows) : (tensor<?x256xf32>, tensor<256xf32>, index) -> tensor<?x256xf32>
  %z = math.tanh %y : tensor<?x256xf32>
  return %z : tensor<?x256xf32>
}
