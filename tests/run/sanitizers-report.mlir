// Objects compiled with sanitizers link, report when their runtime is there, and else a message says how it gets there.
// REQUIRES: x86, asan
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: printf 'void k(const float *in, float *out, long long how) { for (int i = 0; i < 16 + how; ++i) out[i] = in[i] + (int)how / 2; }' > k.c
// RUN: clang -O1 -g -fPIC -fsanitize=address -c k.c -o k.o && hal-compile %s -o p.so -q
// RUN: exits 3 hal-run p.so --input=1 --input=0 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[missing-sanitizer]: kernels of the program were compiled with `-fsanitize=address`, and its runtime is not loaded
// MISSING: note: {{.*}}undefined symbol: __asan_
// MISSING: hint: load it first: `LD_PRELOAD=$(clang -print-file-name=libclang_rt.asan-x86_64.so)` before the command
// RUN: env LD_PRELOAD=%asan ASAN_OPTIONS=detect_leaks=0 hal-run p.so --input=1 --input=0 --expect=16xf32=1
// RUN: exits 4 env LD_PRELOAD=%asan hal-run p.so --input=1 --input=1 --expect=16xf32=1 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: AddressSanitizer: heap-buffer-overflow
// REPORT: READ of size 4
// REPORT: in k {{.*}}k.c:1
// REPORT: error[ended-early]: kernel `k` ended the process, with exit code 1
// REPORT: hint: a sanitizer does so after its report, which stands above

// Substituted, too.
// RUN: printf 'void k(const float *in, float *out, long long how) { for (int i = 0; i < 16; ++i) out[i] = in[i]; }' > plain.c && mv k.o asan.o
// RUN: clang -O1 -fPIC -c plain.c -o k.o && hal-import %s | hal-translate -o objects.mlir && hal-substitute objects.mlir k_kernel=asan.o | hal-link -o s.so
// RUN: exits 4 env LD_PRELOAD=%asan hal-run s.so --input=1 --input=1 2>&1 | FileCheck %s --check-prefix=REPORT
func.func private @k(tensor<16xf32>, index) -> tensor<16xf32> attributes {
  hal.objects = [{objects = [{path = "k.o"}]}], hal.workgroups = array<i64: 1, 1, 1>}
func.func @main(%x: tensor<16xf32>, %how: index) -> tensor<16xf32> {
  %r = call @k(%x, %how) : (tensor<16xf32>, index) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
