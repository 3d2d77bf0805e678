// The driver runs the same tools at the same places; --dry-run prints them as a pipe that makes the same program.
// DEFINE: %{say} = echo $HALYARD_HOOK $HALYARD_PHASE $HALYARD_TARGET >&2; cat
// DEFINE: %{flags} = --target=cpu:x86-64-v3@x86_64-unknown-linux-gnu "--preprocess-objects-with=%{say}" "--preprocess-executables-with=%{say}" --preprocess-executables-with='sed s/addf/subf/' "--preprocess-global-with=%{say}" "--preprocess-input-with=cmd[bytecode]:%{say}" --preprocess-timeout=1m
// RUN: mkdir -p %t.once && hal-compile %s -o %t.once/again.so %{flags} 2>&1 | FileCheck %s
// CHECK: on program `@module`:
// CHECK-NEXT: {{^}}  input cpu:x86-64-v3
// CHECK: {{^}}  global input cpu:x86-64-v3
// CHECK: {{^}}  executable executables cpu:x86-64-v3
// CHECK: {{^}}  object objects #llvm.target<triple = "x86_64-unknown-linux-gnu"
// RUN: mkdir -p %t.pipe && hal-compile %s -o %t.pipe/again.so %{flags} --dry-run > %t.sh
// RUN: FileCheck %s --check-prefix=PIPE < %t.sh
// PIPE: hal-opt {{.*}}driver.mlir '--preprocess-input-with=cmd[bytecode]:{{.*}} --preprocess-target={{.*}} --preprocess-timeout=60 --emit=bytecode |
// PIPE: hal-import --to=input --emit=bytecode |
// PIPE: hal-opt '--preprocess-global-with=
// PIPE: hal-import --emit=bytecode |
// PIPE: hal-opt '--preprocess-executables-with={{.*}} '--preprocess-executables-with=sed s/addf/subf/'
// PIPE: hal-translate
// PIPE: hal-opt '--preprocess-objects-with=
// PIPE: hal-link
// RUN: sh %t.sh && cmp %t.once/again.so %t.pipe/again.so
// RUN: hal-compile %s -o %t.plain.so && not cmp %t.once/again.so %t.plain.so

// RUN: exits 2 hal-compile %s --to=executables --preprocess-objects-with=cat 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: `--preprocess-objects-with` would never run: the program is not in that phase on its way
// RUN: exits 4 hal-compile %s -o %t.no.so --preprocess-executables-with=false 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error[tool-failed]: `false` failed with exit code 1 on executable `@main_dispatch_0`
// RUN: test ! -e %t.no.so
// RUN: rm -rf %t.repro && hal-compile %s -o %t.so --preprocess-executables-with='sed s/addf/subf/' --reproduce=%t.repro
// RUN: FileCheck %s --check-prefix=REPRO < %t.repro/run.sh
// REPRO: '--preprocess-executables-with=sed s/addf/subf/'
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.addf %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}
