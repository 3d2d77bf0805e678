// An application that asks for it is told which kernel crashed, and where; then its own handler comes, or the process ends by the signal.
// REQUIRES: libhalyard, x86
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: clang -Wall -Wno-unused-result -I%include %S/Inputs/crash.c -L%libhalyard -lhalyard -Wl,-rpath,%libhalyard -o app
// RUN: printf 'void bad(const float *in, float *out) { out[0] = in[0]; *(volatile float *)(long)(in[0] - 1) = 1; }' > bad.c
// RUN: clang -O1 -fPIC -c bad.c -o bad.o && hal-compile %s -o p.so -q
// RUN: exits 139 ./app ./p.so | FileCheck %s
// CHECK: libhalyard: kernel `bad` crashed in workgroup 0,0,0 of 1,1,1 (SIGSEGV): it writes memory through a null pointer (at byte {{[0-9]+}} of its code)
// CHECK-NOT: mine
// RUN: exits 7 ./app ./p.so handler | FileCheck %s --check-prefix=BOTH
// BOTH: libhalyard: kernel `bad` crashed
// BOTH-NEXT: mine
func.func private @bad(tensor<4xf32>) -> tensor<4xf32> attributes {
  hal.objects = [{objects = [{path = "bad.o"}]}], hal.workgroups = array<i64: 1, 1, 1>}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @bad(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
