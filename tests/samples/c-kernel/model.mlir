// A model that calls a kernel in C between operations of its own.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O3 -fPIC -I%include -c %S/rms_norm.c -o rms_norm.o
// RUN: hal-compile %s -o model.so -q && %python %S/reference.py
// RUN: hal-run model.so --input=@x.npy --input=@weight.npy --expect=@y.npy
// RUN: hal-run model.so --list | FileCheck %s
// CHECK: rms_norm (cpu_{{.*}}): 3 bindings, 3 constants
// REQUIRES: numpy
func.func private @rms_norm(tensor<?x256xf32>, tensor<256xf32>, index) -> (tensor<?x256xf32> {hal.dims = array<i64: 2>})
  attributes {hal.objects = [{path = "rms_norm.o"}], hal.workgroups = @blocks_of_16_rows}

// From the constants of the kernel to the number of workgroups in x, y and z.
func.func private @blocks_of_16_rows(%x_rows: index, %out_rows: index, %rows: index) -> (index, index, index) {
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
