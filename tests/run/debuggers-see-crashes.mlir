// A debugger that runs hal-run stops in the kernel that crashes: nothing is in between.
// REQUIRES: x86, gdb
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: printf 'void k(const float *in, float *out) { out[0] = in[0]; *(volatile float *)(long)(in[0] - 1) = 1; }' > k.c && clang -O1 -fPIC -c k.c -o k.o && hal-compile %s -o p.so -q
// RUN: gdb -batch -nx -ex run -ex 'bt 2' --args hal-run p.so --input=1 2>&1 | FileCheck %s
// CHECK: SIGSEGV
// CHECK: #0 {{.*}} in k ()
// CHECK-NEXT: #1 {{.*}} in halyard_invoke ()
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {
  hal.objects = [{objects = [{path = "k.o"}]}], hal.workgroups = array<i64: 1, 1, 1>}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
