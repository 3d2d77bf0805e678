// `hal-compile --report` shows the program that it has linked, with the MLIR and the schedules of its executables.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o p.so -q --report=r.html
// RUN: %python %S/Inputs/look.py r.html schedule:main_dispatch_0_matmul_64x32x48_f32 mlir:main_dispatch_0 | FileCheck %s
// CHECK: programs p.so
// CHECK: kernel main_dispatch_0_matmul_64x32x48_f32 {{.*}} measured True
// CHECK: text schedule:main_dispatch_0_matmul_64x32x48_f32
// CHECK: hal.schedule = {
// CHECK: text mlir:main_dispatch_0
// CHECK: linalg.matmul

// The program is the same without a report, and no file stays behind.
// RUN: hal-compile %s -o plain.so -q && cmp p.so plain.so && ls | FileCheck %s --check-prefix=FILES
// FILES: p.so
// FILES-NEXT: plain.so
// FILES-NEXT: r.html
// FILES-NOT: {{.}}

// What is shown is what was compiled: here, after a stage.
// RUN: hal-compile %s -o s.so -q --report=s.html --stage=executables:linalg-generalize-named-ops
// RUN: %python %S/Inputs/look.py s.html mlir:main_dispatch_0 | FileCheck %s --check-prefix=STAGE
// STAGE: text mlir:main_dispatch_0
// STAGE-NOT: linalg.matmul
// STAGE: linalg.generic

// A program for other machines is not run.
// RUN: hal-compile %s -o far.so --target=vulkan --report=far.html 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: warning: `far.html` has no times: `--target` names other machines
// FAR: hint: on one of them, run `hal-report far.so -o far.html`
// RUN: %python %S/Inputs/look.py far.html | FileCheck %s --check-prefix=UNTIMED
// UNTIMED: kernel main_dispatch_0_matmul_64x32x48_f32 {{.*}} measured False

// RUN: hal-compile %s -o p.so --report=r.html --dry-run | FileCheck %s --check-prefix=DRY
// DRY: hal-link {{.*}}-o p.so
// DRY-NEXT: hal-report p.so -o r.html
// RUN: not hal-compile %s -o p.mlir --to=objects --report=r.html 2>&1 | FileCheck %s --check-prefix=TO
// TO: error: `--report` shows a linked program, and `--to` stops before it is linked
// RUN: not hal-compile %s -o p.so --report=p.so 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: `--report` and `--output` both name `p.so`
// RUN: not hal-compile %s -o g --emit=ninja --report=r.html 2>&1 | FileCheck %s --check-prefix=GRAPH
// GRAPH: error: `--report` shows a linked program, and with `--emit` of a build graph nothing is linked yet
func.func @main(%x: tensor<64x48xf32>, %w: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x48xf32>, tensor<48x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
