// Each mistake about states is told with what there is.
// RUN: exits 2 hal-import %s --state=pasd=present 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: `--state=pasd=present`: there is no input `pasd`
// INPUT: hint: the inputs are `x`, `past`, `wide`, `number`
// RUN: exits 2 hal-import %s --state=past.*=present.* 2>&1 | FileCheck %s --check-prefix=PATTERN
// PATTERN: there is no input `past.*`
// RUN: exits 2 hal-import %s --state=past=presents 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: there is no result `presents`
// RESULT: hint: the results are `present`, `half`, `long`, `sum`
// RUN: exits 1 hal-import %s --state=past=half 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: state `past` is `tensor<2x4xf32>`, result `half` is `tensor<2x4xf16>`
// TYPE: what-is-no-state-is-refused.mlir:[[#]]:
// RUN: exits 1 hal-import %s --state=past=long 2>&1 | FileCheck %s --check-prefix=GROWS
// GROWS: dimension 0 of state `past` is 2, of result `long` 3
// GROWS: hint: a state that grows needs a size that is not fixed
// RUN: exits 1 hal-import %s --state=number=sum 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: input `number` is `f32`, and states are tensors
// RUN: exits 2 hal-import %s --state=past=present --state=past=long 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: input `past` is named by two `--state`s
// RUN: exits 2 hal-import %s --state=past=present --state=x=present 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: result `present` is named by two `--state`s
// RUN: exits 2 hal-import %s --state=past=present,rows=3 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: state `past` has no dimension `rows`
// RUN: exits 2 hal-import %s --state=past=present,0=3 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED: dimension `0` of state `past` cannot start as 3: it is fixed
// RUN: exits 2 hal-import %s --state=past 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: PAST=PRESENT is expected, an input and the result that replaces it
// RUN: exits 2 hal-import %s --state=p*=q 2>&1 | FileCheck %s --check-prefix=STARS
// STARS: one `*` on each side, or none, is expected

// RUN: hal-import %s -o %t.mlir && exits 2 hal-compile %t.mlir --state=past=present -o %t.so 2>&1 | FileCheck %s --check-prefix=FORMED
// FORMED: `--state=past=present` would have no effect: the input is in phase `executables` already

// A result whose size only a run knows is checked there.
// RUN: hal-compile %s --state=past=wide -o %t.so -q
// RUN: exits 1 hal-run %t.so --input=2x4xf32=1 --input=3x4xf32=1 --input=f32=1 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: dimension 0 of its operand is 3; it must be 2
func.func @main(%x: tensor<2x4xf32> {hal.name = "x"}, %past: tensor<2x4xf32> {hal.name = "past"}, %wide: tensor<?x4xf32> {hal.name = "wide"}, %number: f32 {hal.name = "number"})
    -> (tensor<2x4xf32> {hal.name = "present"}, tensor<2x4xf16> {hal.name = "half"}, tensor<3x4xf32> {hal.name = "long"}, f32 {hal.name = "sum"}, tensor<?x4xf32> {hal.name = "wide"}) {
  %half = arith.constant dense<1.0> : tensor<2x4xf16>
  %long = arith.constant dense<1.0> : tensor<3x4xf32>
  return %x, %half, %long, %number, %wide : tensor<2x4xf32>, tensor<2x4xf16>, tensor<3x4xf32>, f32, tensor<?x4xf32>
}
