// A feature that the loader cannot tell of a CPU is an error: a variant that needs it could be chosen where it does not run.
// RUN: rm -rf %t && mkdir %t && clang -c -O2 -fPIC -I%include %S/Inputs/kernels.c -o %t/kernels.o
// RUN: cd %t && exits 1 hal-import %s 2>&1 | FileCheck %s
// CHECK: error[bad-declaration]: it cannot be detected at load time whether a CPU has `avx512vni`, which `@scale` needs
// CHECK: known are adx, aes
// CHECK: hint: did you mean `+avx512vnni`?
func.func private @scale(tensor<4xf32>) -> tensor<4xf32> attributes {
  hal.objects = [{features = ["+avx512vni"], path = "kernels.o"}], hal.workgroups = array<i64: 1>}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @scale(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
