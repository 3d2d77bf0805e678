// `--to` stops in a phase, `--save-temps` keeps them all, and a program of any phase is taken up again.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: hal-compile -q %s -o a.so --save-temps=temps
// RUN: ls temps | FileCheck %s --check-prefix=FILES
// FILES: a.executables.mlir
// FILES-NEXT: a.input.mlir
// FILES-NEXT: a.objects.mlir
// RUN: hal-compile %s --to=input | FileCheck %s --check-prefix=INPUT
// INPUT: hal.phase = "input"
// INPUT: arith.addf
// RUN: hal-compile %s --to=executables -o e.mlirbc && hal-opt e.mlirbc | FileCheck %s --check-prefix=EXECUTABLES
// EXECUTABLES: hal.phase = "executables"
// EXECUTABLES: hal.executable
// RUN: hal-compile -q %s --to=objects --emit=text -o o.mlir && FileCheck %s --check-prefix=OBJECTS < o.mlir
// OBJECTS: hal.phase = "objects"
// RUN: hal-compile -q temps/a.input.mlir -o i.so && cmp a.so i.so
// RUN: hal-compile -q e.mlirbc -o e.so && cmp a.so e.so
// RUN: hal-compile -q o.mlir -o o.so && cmp a.so o.so
// RUN: hal-compile -q %s -o b.so --save-temps && ls | FileCheck %s --check-prefix=BESIDE
// BESIDE: b.executables.mlir
// BESIDE: b.input.mlir
// BESIDE: b.objects.mlir
// RUN: hal-compile -q %s -o c.so --save-temps=stages --stage=input:cse --stage=objects:cse && ls stages | FileCheck %s --check-prefix=STAGES
// STAGES: c.executables.mlir
// STAGES-NEXT: c.input-stages.mlir
// STAGES-NEXT: c.input.mlir
// STAGES-NEXT: c.objects-stages.mlir
// STAGES-NEXT: c.objects.mlir
// RUN: exits 2 hal-compile o.mlir --to=executables 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: there is nothing to do: the input is in phase `objects` already
// RUN: exits 2 hal-compile o.mlir -o d.so --stage=input:cse 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: error: a stage at `input` would never run
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = arith.addf %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
