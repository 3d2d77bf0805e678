// One program for CPUs, Vulkan and CUDA, with a kernel by hand in C, GLSL and CUDA; the results are the same everywhere.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O3 -fPIC -I%include -c %S/../c-kernel/rms_norm.c -o rms_norm.o
// RUN: glslc --target-env=vulkan1.1 -O %S/../glsl-kernel/rms_norm.comp -o rms_norm.spv
// RUN: clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-feature=+ptx70 -O3 -S %S/../cuda-kernel/rms_norm.cu -o rms_norm.ptx
// RUN: hal-compile %s --target=cpu,vulkan,cuda:sm_90 -o model.so -q && %python %S/../c-kernel/reference.py
// RUN: hal-run model.so --device=cpu --input=@x.npy --input=@weight.npy --expect=@y.npy
// RUN: hal-run model.so --device=vulkan --input=@x.npy --input=@weight.npy --expect=@y.npy
// RUN: env FAKE_CUDA_CAPABILITY=90 with-fake-cuda hal-run model.so --device=cuda --input=@x.npy --input=@weight.npy --expect=@y.npy
// RUN: hal-run model.so --list | FileCheck %s
// CHECK: rms_norm (cpu_x86_64; also cuda_sm_80, vulkan): 3 bindings, 3 constants
// REQUIRES: numpy, vulkan, glslc, x86
func.func private @rms_norm(tensor<?x256xf32>, tensor<256xf32>, index) -> (tensor<?x256xf32> {hal.dims = array<i64: 2>})
  attributes {
    hal.objects = [
      {path = "rms_norm.o", workgroups = @one_for_16_rows},
      {path = "rms_norm.spv"},
      {path = "rms_norm.ptx", target = #nvvm.target<chip = "sm_80">, workgroup_size = array<i64: 64, 1, 1>}],
    hal.workgroups = @one_a_row}

// From the constants of the kernel to the number of workgroups in x, y and z.
func.func private @one_a_row(%x_rows: index, %out_rows: index, %rows: index) -> (index, index, index) {
  %one = arith.constant 1 : index
  return %rows, %one, %one : index, index, index
}
func.func private @one_for_16_rows(%x_rows: index, %out_rows: index, %rows: index) -> (index, index, index) {
  %size = arith.constant 16 : index
  %one = arith.constant 1 : index
  %blocks = arith.ceildivsi %rows, %size : index
  return %blocks, %one, %one : index, index, index
}

func.func @main(%x: tensor<?x256xf32>, %weight: tensor<256xf32>) -> tensor<?x256xf32> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : tensor<?x256xf32>
  %y = call @rms_norm(%x, %weight, %rows) : (tensor<?x256xf32>, tensor<256xf32>, index) -> tensor<?x256xf32>
  %z = math.tanh %y : tensor<?x256xf32>
  return %z : tensor<?x256xf32>
}
