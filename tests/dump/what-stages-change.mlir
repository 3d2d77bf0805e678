// What each stage changed in each executable goes to files, as diffs; no byte of the result changes, and two runs write the same.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s m.mlir
// RUN: hal-compile -q m.mlir -o p.so --target=cpu:x86-64-v3 --stage=executables:linalg-generalize-named-ops
// RUN: hal-compile -q m.mlir -o q.so --target=cpu:x86-64-v3 --stage=executables:linalg-generalize-named-ops --dump-executable-stages-to=d/s -j1 && cmp p.so q.so
// RUN: hal-compile -q m.mlir -o q.so --target=cpu:x86-64-v3 --stage=executables:linalg-generalize-named-ops --dump-executable-stages-to=e -j2 && diff -r d/s e
// RUN: ls e | FileCheck %s
// CHECK: hal-import.stages.diff
// CHECK-NEXT: main_dispatch_0.cpu_x86_64_v3.stages.diff
// CHECK-NEXT: main_dispatch_0.stages.diff
// CHECK-NOT: {{.}}
// RUN: FileCheck %s --check-prefix=SOURCE < e/main_dispatch_0.stages.diff
// SOURCE: === hal-import
// SOURCE-NEXT: module @main_dispatch_0 attributes
// SOURCE: === --stage=linalg-generalize-named-ops
// SOURCE-NEXT: @@ -1,
// SOURCE: {{^}}-{{ .*}} linalg.exp
// SOURCE: {{^}}+{{ .*}} linalg.generic
// Lines that differ only in the numbers of values are no change.
// SOURCE-NOT: {{^[-+]}}    return
// RUN: FileCheck %s --check-prefix=LOWERED < e/main_dispatch_0.cpu_x86_64_v3.stages.diff
// LOWERED: === export @main_dispatch_0_elementwise_exp_8x16_f32: tiled and vectorised
// LOWERED: === hal-tile-and-vectorize
// LOWERED: === canonicalize
// LOWERED: === cse
// LOWERED: === convert-func-to-llvm
// LOWERED: === reconcile-unrealized-casts

// Plain loops, another pipeline's, and all targets; the steps of a pipeline of one's own are those of its file.
// RUN: hal-compile -q m.mlir -o q.so -O0 --dump-executable-stages-to=o0 --target=cpu:x86-64-v3,vulkan
// RUN: cat o0/main_dispatch_0.cpu_x86_64_v3.stages.diff | FileCheck %s --check-prefix=PLAIN
// PLAIN: === export @main_dispatch_0_elementwise_exp_8x16_f32: plain loops in one workgroup: not optimised
// PLAIN: === hal-tile-and-vectorize: no change
// PLAIN: === one-shot-bufferize
// PLAIN: {{^}}+{{ .*}}memref
// RUN: cat o0/main_dispatch_0.vulkan.stages.diff | FileCheck %s --check-prefix=VULKAN
// VULKAN: === hal-emit-kernel: no change
// VULKAN: {{^}}+{{ .*}}spirv.func
// RUN: printf 'pipeline:\n  - pass: cse\n  - include: cpu.yaml\n' > mine.yaml
// RUN: hal-compile -q m.mlir -o q.so --pipeline=cpu=mine.yaml --dump-executable-stages-to=mine && cat mine/main_dispatch_0.cpu*.stages.diff | FileCheck %s --check-prefix=MINE
// MINE: === before
// MINE: === cse: no change
// MINE-NEXT: === hal-tile-and-vectorize

// In a pipe, hal-translate writes those of the pipeline.
// RUN: hal-compile m.mlir -o q.so --target=cpu:x86-64-v3 --dump-executable-stages-to=f --dry-run | FileCheck %s --check-prefix=DRY
// DRY: hal-translate --target=cpu:x86-64-v3 --save-stages=f --emit=bytecode |
// RUN: hal-compile -q m.mlir -o q.so --target=cpu:x86-64-v3 --dump-executable-stages-to=f
// RUN: hal-import m.mlir | hal-translate --target=cpu:x86-64-v3 --save-stages=g -o /dev/null && diff f/main_dispatch_0.cpu_x86_64_v3.stages.diff g/main_dispatch_0.cpu_x86_64_v3.stages.diff

// What would write nothing, or has nowhere to go, is an error.
// RUN: exits 2 hal-compile m.mlir -o p.mlir --to=executables --dump-executable-stages-to=h 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: `--dump-executable-stages-to` needs a translation, and no code is generated
// RUN: exits 2 hal-compile m.mlir -o p.so --dump-executable-stages-to=- 2>&1 | FileCheck %s --check-prefix=DASH
// DASH: error: executables are dumped to a folder, not to standard output
// RUN: exits 3 hal-compile m.mlir -o n.so --dump-executable-stages-to=m.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot make the folder `m.mlir`
// RUN: test ! -e n.so
// RUN: hal-import m.mlir -o p.mlir && exits 2 hal-translate p.mlir --save-stages=h --strip-source 2>&1 | FileCheck %s --check-prefix=STRIP
// STRIP: error: `--save-stages` does not go with `--strip-source`
// RUN: exits 2 hal-translate p.mlir --save-stages=h --emit=asm 2>&1 | FileCheck %s --check-prefix=CODE
// CODE: error: `--save-stages` does not go with `--emit of code`
// RUN: exits 2 hal-compile m.mlir -o g --emit=ninja --dump-executable-stages-to=h 2>&1 | FileCheck %s --check-prefix=GRAPH
// GRAPH: error: `--dump-executable-stages-to` does not go with `--emit` of a build graph
// RUN: test ! -e h
func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %r = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
