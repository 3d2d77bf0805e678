// `--per-executable` tells each dispatch's time, calls, share, rates and workgroups, in place or by itself.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-benchmark %t.so --min-time=0.02 --threads=1 --per-executable | FileCheck %s
// RUN: hal-benchmark %t.so --min-time=0.02 --threads=1 --per-executable=isolated | FileCheck %s
// RUN: hal-benchmark %t.so --min-time=0.02 --threads=1 --per-executable=in-place | FileCheck %s
// CHECK: dispatches of {{.*}}.so
// CHECK-NEXT: share total calls time GFLOP/s GB/s roofline workgroups executable
// CHECK-NEXT: {{[0-9.]+}} % {{[0-9.]+ [^ ]*s}} 2 {{[0-9.]+ [^ ]*s}} {{[0-9.]+}} {{[0-9.]+}} {{[0-9.]+}} % {{f32|L1|L2}} {{[0-9]+}}x{{[0-9]+}}x{{[0-9]+}} main_dispatch_{{[0-9]}}_matmul_128x128x128_f32
// CHECK: 100.0 % {{[0-9.]+ [^ ]*s}} {{[0-9]+}} all
// RUN: hal-benchmark %t.so --runs=3 --min-time=0 --per-executable --csv=- | FileCheck %s --check-prefix=CSV
// CSV: main_dispatch_{{.*}}_matmul_128x128x128_f32,{{.*}},2,{{[0-9.]+}},{{[0-9]+}},{{[0-9]+}},{{[0-9]+}},{{[0-9]+}},{{[0-9]+}}
// RUN: hal-benchmark %t.so --runs=3 --min-time=0 --per-executable --markdown=- | FileCheck %s --check-prefix=MD
// MD: Dispatches of `{{.*}}`
// MD: | `main_dispatch_{{.*}}_matmul_128x128x128_f32` |
// MD: | 100.0 % |
// RUN: exits 2 hal-benchmark %t.so --per-executable=twice 2>&1 | FileCheck %s --check-prefix=HOW
// HOW: [possible values: in-place, isolated]
func.func @main(%x: tensor<128x128xf32>, %y: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %a = linalg.matmul ins(%x, %y : tensor<128x128xf32>, tensor<128x128xf32>) outs(%f : tensor<128x128xf32>) -> tensor<128x128xf32>
  %b = linalg.matmul ins(%a, %y : tensor<128x128xf32>, tensor<128x128xf32>) outs(%f : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %b : tensor<128x128xf32>
}
