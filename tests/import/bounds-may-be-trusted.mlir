// `--bounds=trust` is noted in the program, through all phases, and `hal-run --list` says it; `check` takes it back.
// RUN: hal-import %s --bounds=trust --to=input -o %t.input.mlir
// RUN: hal-import %t.input.mlir -o %t.mlir && FileCheck %s < %t.mlir
// RUN: hal-translate %t.mlir | hal-link -o %t.so && hal-run %t.so --list | FileCheck %s --check-prefix=LIST
// RUN: hal-compile %s --bounds=trust -o %t.2.so && hal-run %t.2.so --list | FileCheck %s --check-prefix=LIST
// RUN: hal-compile %s --bounds=trust --dry-run -o %t.2.so | FileCheck %s --check-prefix=DRY
// RUN: hal-import %t.input.mlir --bounds=check | FileCheck %s --check-prefix=CHECKED
// RUN: hal-compile %s -o %t.3.so && hal-run %t.3.so --list | FileCheck %s --check-prefix=CHECKED
// RUN: exits 2 hal-import %s --bounds=maybe 2>&1 | FileCheck %s --check-prefix=WORD
// CHECK: module attributes {hal.bounds = "trust", hal.phase = "executables"
// LIST: not checked (--bounds=trust): indices and divisors that are data, in main
// DRY: hal-import{{.*}} --bounds=trust
// CHECKED-NOT: trust
// WORD: possible values: check, trust
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
