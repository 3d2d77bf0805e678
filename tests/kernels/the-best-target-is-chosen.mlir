// A kernel has objects for several targets; loading takes the best that this CPU runs, linking what fits the program.
// RUN: rm -rf %t && mkdir -p %t/lib && cd %t && clang -O2 -fPIC -c %S/Inputs/dot.c -o lib/dot.o
// RUN: clang -O2 -fPIC -I%include -DWHICH=1 -c %S/Inputs/kernels.c -o lib/plain.o
// RUN: clang -O2 -fPIC -I%include -DWHICH=2 -c %S/Inputs/kernels.c -o lib/avx2.o
// RUN: clang -O2 -fPIC -I%include -DWHICH=3 -c %S/Inputs/kernels.c -o lib/none.o
// RUN: clang -O2 -fPIC -I%include --target=aarch64-linux-gnu -ffreestanding -c %S/Inputs/kernels.c -o lib/arm.o
// Not every machine has AVX2: `which` says 1 then.
// RUN: hal-compile %s -o p.so -q --executable-object-search-path=lib
// RUN: hal-run p.so --list | FileCheck %s
// CHECK: which (cpu_x86_64{{(_2)?(; also .*)?}}):
// RUN: hal-run p.so | FileCheck %s --check-prefix=VALUE
// VALUE: array([{{[12]}}.], dtype=float32)
// The same by the pipe; folders are for the import.
// RUN: hal-import %s --object-path=lib | hal-translate | hal-link -o q.so && cmp p.so q.so
// REQUIRES: x86
func.func private @which() -> tensor<1xf32> attributes {hal.workgroups = array<i64: 1>, hal.objects = [
  {objects = [{path = "plain.o"}, {path = "dot.o"}]},
  {features = ["avx2"], objects = [{path = "avx2.o"}, {path = "dot.o"}]},
  {features = ["avx512f", "+sse4a", "+sha", "+avx512fp16", "+avxvnni", "+avx512vp2intersect"], objects = [{path = "none.o"}, {path = "dot.o"}]},
  {target = #llvm.target<triple = "aarch64-unknown-linux-gnu", chip = "generic">, path = "arm.o"}]}
func.func @main() -> tensor<1xf32> {
  %r = call @which() : () -> tensor<1xf32>
  return %r : tensor<1xf32>
}
