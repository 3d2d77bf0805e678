// Where the program goes, what is said at the end, and what is refused.
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir && cd %t
// RUN: hal-compile m.mlir -o m.so 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: compiled 1 executable in {{[0-9]+\.[0-9]}} s
// RUN: hal-compile -q m.mlir -o m.so 2>&1 | count 0
// RUN: hal-compile m.mlir -o m.so --message-format=json 2>&1 | count 0
// RUN: hal-compile -v m.mlir -o m.so 2>&1 | FileCheck %s --check-prefix=VERBOSE
// VERBOSE: forming executables: {{.*}} s
// VERBOSE: translating executables: {{.*}} s
// VERBOSE: linking: {{.*}} s
// RUN: hal-compile -q -o n.so < m.mlir && cmp m.so n.so
// RUN: hal-compile -q m.mlir -o one.so -j1 && cmp m.so one.so
// RUN: hal-compile -q m.mlir -o "out put.so" --depfile=m.d && FileCheck %s --check-prefix=DEPS < m.d
// DEPS: out\ put.so: m.mlir
// RUN: exits 2 hal-compile m.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: the output file is missing
// RUN: exits 2 hal-compile m.mlir -o - 2>&1 | FileCheck %s --check-prefix=STDOUT
// STDOUT: error: a linked program cannot be written to standard output
// RUN: exits 3 hal-compile m.mlir -o no/such/m.so 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot write `no/such/m.so`
// RUN: exits 3 hal-compile no.mlir -o m.so 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot read `no.mlir`
// RUN: exits 2 hal-compile m.mlir -o m.so --target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: abacus
// RUN: exits 2 hal-compile m.mlir -o m.so -O4 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: invalid value '4' for '--opt-level <LEVEL>'
// RUN: exits 2 hal-compile m.mlir -o m.so --emit=text 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: --to
// RUN: exits 2 hal-compile m.mlir -o m.so --function=f 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: there is no public function `f`
// RUN: exits 2 hal-compile m.mlir -o m.so --weights-to=- 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: weights cannot go to standard output
// RUN: exits 1 hal-compile /dev/null -o m.so 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error[empty-input]: the input is empty
// RUN: on-terminal hal-compile m.mlir -o m.so | FileCheck %s --check-prefix=LAST
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = arith.addf %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
