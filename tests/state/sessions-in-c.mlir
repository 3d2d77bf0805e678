// REQUIRES: libhalyard
// An application in C reads, sets and resets the states of its instances.
// RUN: hal-compile %s --state=0=0 -o %t.so -q
// RUN: clang -Wall -Werror -I%include %S/Inputs/session.c -L%libhalyard -lhalyard -Wl,-rpath,%libhalyard -o %t.exe
// RUN: %t.exe %t.so | FileCheck %s
// CHECK: all is well
func.func @main(%sum: tensor<2xf32> {hal.name = "sum"}, %x: tensor<2xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %new = linalg.add ins(%sum, %x : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %new : tensor<2xf32>
}
