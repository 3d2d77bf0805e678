// A kernel that writes far outside its memory is told by the check of its benchmark; nothing is damaged by it.
// REQUIRES: x86
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: printf 'void k(const float *in, float *out) { for (int i = 0; i < 16; ++i) out[i] = in[i]; }' > good.c && clang -O1 -fPIC -c good.c -o k.o
// RUN: hal-import %s -o p.mlir && hal-extract p.mlir --to=b --as=benchmark -i 16xf32=random:1 -o /dev/null -q
// RUN: hal-compile b/k_kernel.benchmark.mlir -o good.so -q && hal-run good.so --check
// RUN: printf 'void k(const float *in, float *out) { for (int i = 0; i < 16; ++i) out[i] = in[i]; for (int i = 16; i < 4112; ++i) out[i] = 1; }' > bad.c && clang -O1 -fPIC -c bad.c -o bad.o
// RUN: hal-compile b/k_kernel.benchmark.mlir --substitute-executable-object=k_kernel=bad.o -o bad.so -q
// RUN: exits 4 hal-run bad.so --check 2>&1 | FileCheck %s
// RUN: exits 4 hal-benchmark bad.so --runs=1 --min-time=0 2>&1 | FileCheck %s
// CHECK: error[kernel-crashed]: kernel `k` crashed in workgroup 0,0,0 of 1,1,1 (SIGSEGV)
// CHECK: note: it writes right behind the end of binding 1, which it writes and which has 64 bytes
func.func private @k(tensor<16xf32>) -> tensor<16xf32> attributes {
  hal.objects = [{objects = [{path = "k.o"}]}], hal.workgroups = array<i64: 1, 1, 1>}
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = call @k(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
