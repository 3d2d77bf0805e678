// Stages run in the phase that they are given for, in order; wrong ones are told before anything runs.
// RUN: hal-compile %s --to=input --stage=input:canonicalize | FileCheck %s --check-prefix=INPUT
// INPUT-NOT: arith.addi
// RUN: hal-compile %s --to=input | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: arith.addi
// RUN: exits 2 hal-compile %s -o %t.so --stage=canonicalize 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: say where it runs, as in `executables:canonicalize`; the places are `input`, `executables`, `objects`
// RUN: exits 2 hal-compile %s -o %t.so --stage=link:cse 2>&1 | FileCheck %s --check-prefix=HOOK
// HOOK: the places for stages are `input`, `executables`, `objects`
// RUN: exits 2 hal-compile %s -o %t.so --stage=input: 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: there is no stage after the colon
// RUN: exits 2 hal-compile %s -o %t.so --stage=objects:canonicalise 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[unknown-pass]: unknown pass `canonicalise`
// UNKNOWN: hint: did you mean `canonicalize`?
func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
  %c = arith.constant dense<0> : tensor<3xi32>
  %d = arith.addi %x, %c : tensor<3xi32>
  %r = arith.muli %x, %d : tensor<3xi32>
  return %r : tensor<3xi32>
}
