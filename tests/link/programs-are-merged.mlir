// Several programs become one; two functions of one name are refused, as is a program in another phase.
// RUN: sed 's/@main/@other/' %s > %t.mlir && hal-link %s %t.mlir -o %t.so && hal-run %t.so --list | FileCheck %s --check-prefix=LIST
// RUN: hal-run %t.so --function=other --input=2xf32=1 | FileCheck %s
// RUN: not hal-link %s %s -o %t.2.so 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sed 's/"objects"/"executables"/' %s | not hal-link -o %t.2.so 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not hal-link %s 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not hal-link %s -o - 2>&1 | FileCheck %s --check-prefix=STDOUT
// RUN: sed 's/@main/private @main/' %s | not hal-link -o %t.2.so 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not hal-link < /dev/null -o %t.2.so 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not hal-link %s -o %t.nowhere/a.so 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not ls %t.2.so
// LIST: main(2xf32)
// LIST: other(2xf32)
// CHECK: [1., 1.]
// TWICE: error[duplicate-function]: function `@main` is defined twice
// PHASE: `hal-link` needs a program in phase `objects`, this one is in phase `executables`
// OUTPUT: --output <FILE>
// STDOUT: error: a shared object cannot be written to standard output
// NOTHING: error[no-function]: there is no public function to link
// EMPTY: the input is empty
// NOWHERE: cannot write
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}
