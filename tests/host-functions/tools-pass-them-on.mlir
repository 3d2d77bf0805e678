// Every tool passes programs with host functions on; benchmarks of their kernels are made with the module loaded; linked programs keep their functions apart.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -shared -fPIC -I%include %S/Inputs/search.c -o search.so && hal-import %s | %roundtrip | hal-opt --stage=canonicalize | hal-opt --preprocess-executables-with=cat -o p.mlir && FileCheck %s < p.mlir
// CHECK: func.func private @above(tensor<?xf32>, f32) -> (tensor<?xf32>, index) attributes {hal.host_function = "search.above"}
// RUN: hal-extract p.mlir --as=mlir,c --to=. -o q.mlir && cmp p.mlir q.mlir
// RUN: hal-extract p.mlir --as=benchmark --module=search.so --input=8xf32=1,2,3,4,5,6,7,8 --to=. -o q.mlir && cmp p.mlir q.mlir && hal-compile main_dispatch_0.benchmark.mlir -o b.so -q && hal-run b.so --check
// RUN: exits 4 hal-extract p.mlir --as=benchmark --input=8xf32=4 --to=other -o q.mlir 2>&1 | FileCheck %s --check-prefix=NEEDED
// NEEDED: the program needs host function `search.above`, and no module is given
// NEEDED: `--module=FILE.so`
// RUN: hal-substitute p.mlir main_dispatch_0=main_dispatch_0.mlir | hal-translate -o o.mlir && hal-link o.mlir -o p.so && hal-run p.so --module=search.so --input=8xf32=1,2,3,4,5,6,7,8 --expect=6xf32=6,8,10,12,14,16
// The driver runs the same for its dumps.
// RUN: hal-compile %s -o d.so -q --dump-executable-benchmarks-to=dump --dump-executable-benchmarks-module=search.so --dump-executable-benchmarks-input=8xf32=4 && ls dump | FileCheck %s --check-prefix=DUMP
// DUMP: main_dispatch_0.benchmark.mlir
// RUN: hal-compile %s -o d.so --dry-run --dump-executable-benchmarks-to=dump --dump-executable-benchmarks-module=search.so | FileCheck %s --check-prefix=DRY
// DRY: hal-extract {{.*}}--module=search.so
// Two programs in one: the function is listed once, with both callers.
// RUN: sed 's/@main/@second/' %s | hal-import | hal-translate -o second.mlir && hal-link o.mlir second.mlir -o both.so && hal-run both.so --list | FileCheck %s --check-prefix=BOTH
// BOTH: host functions:
// BOTH-NEXT: search.above({{.*}}), called by main, second
// BOTH-NOT: search
// RUN: hal-run both.so --function=second --module=search.so --input=8xf32=4 --expect=8xf32=8
// The same bytes again.
// RUN: hal-link o.mlir -o again.so && cmp p.so again.so
func.func private @above(tensor<?xf32>, f32) -> (tensor<?xf32>, index) attributes {hal.host_function = "search.above"}
func.func @main(%x: tensor<8xf32>) -> tensor<?xf32> {
  %two = arith.constant 2.0 : f32
  %c = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
  %a:2 = call @above(%c, %two) : (tensor<?xf32>, f32) -> (tensor<?xf32>, index)
  %e = tensor.empty(%a#1) : tensor<?xf32>
  %y = linalg.add ins(%a#0, %a#0 : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
