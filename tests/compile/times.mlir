// `--time` says where the time went: step by step, then for each executable; `--time-json` says the same to programs.
// RUN: hal-compile -q %s -o %t.so --time --time-json=%t.json 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// CHECK: wall ms cpu ms step
// CHECK-NEXT: starting
// CHECK-NEXT: forming executables
// CHECK-NEXT: translating executables
// CHECK-NEXT: linking
// CHECK-NEXT: in all
// CHECK: generate lower optimize codegen total ms bytes executable
// CHECK-NEXT: @main_dispatch_0 for cpu:
// CHECK-NEXT: sum of 1
// JSON: "executables": [
// JSON: "bytes": {{[1-9]}}
// JSON: "codegen": {{[0-9]}}
// JSON: "executable": "main_dispatch_0"
// JSON: "steps": [
// JSON: "step": "starting",
// JSON: "wall": {{[0-9]}}
// JSON: "version": 1
// Without translation there are the steps alone.
// RUN: hal-compile -q %s --to=executables -o %t.mlir --time-json=%t.none.json
// RUN: FileCheck %s --check-prefix=NONE --input-file=%t.none.json
// NONE: "executables": []
// In a pipe the executables are hal-translate's to tell.
// RUN: hal-compile %s -o %t.so --time --time-json=t.json --dry-run | FileCheck %s --check-prefix=PIPE
// PIPE: hal-translate --time --time-json=t.json --emit=bytecode
// RUN: exits 2 hal-compile %s --to=executables --time-json=- -o - 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: exits 2 hal-translate %t.mlir --time-json=- 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: `--time-json` and the output both go to standard output
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.addf %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
