// Arrays of an archive go to the inputs of their names; names that no input has are an error, not swapped inputs.
// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %python -c "import numpy as n; x, y = n.float32([1, 2]), n.float32([10, 20]); n.savez('case', Mask=x, image=y); n.savez('right', mask=x, image=y); n.savez('plain', y, x); n.savez('more', mask=x, image=y, other=x); n.savez('one', mask=x)"
// RUN: hal-compile %s -o named.so -q
// RUN: sed 's/{hal.name = "[a-z]*"}//g' %s > bare.mlir && hal-compile bare.mlir -o bare.so -q

// RUN: hal-run named.so -i @right.npz --expect=9,18
// RUN: exits 1 hal-run named.so -i @case.npz 2>&1 | FileCheck %s --check-prefix=CASE
// RUN: exits 1 hal-benchmark named.so -i @case.npz 2>&1 | FileCheck %s --check-prefix=CASE
// CASE: error[unknown-name]: `main` has no input `Mask`, which the archive has
// CASE: --input=@case.npz
// CASE: note: the archive has `Mask`, `image`
// CASE: input 0 `image`: 2xf32
// CASE: input 1 `mask`: 2xf32
// CASE: hint: did you mean `mask` by `Mask`? then rename it in the archive
// CASE: hint: `'--input=*=@case.npz'` binds the arrays in order, whatever their names
// RUN: exits 1 hal-run named.so -i @more.npz 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: `main` has no input `other`, which the archive has

// In order: when asked to, and where nobody gave names.
// RUN: hal-run named.so -i '*=@case.npz' --expect=-9,-18
// RUN: hal-run named.so -i @plain.npz --expect=9,18
// RUN: hal-run bare.so -i @plain.npz --expect=9,18
// RUN: hal-run bare.so -i @one.npz -i 0 --expect=1,2
// RUN: exits 1 hal-run bare.so -i @right.npz 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: error[unknown-name]: the archive has names, `mask`, `image`, and the inputs of `main` have none
// BARE: hint: `'--input=*=@right.npz'` binds the arrays in order

// What is expected goes by name alike.
// RUN: exits 1 hal-run named.so -i 1 -i 2 --expect=@right.npz 2>&1 | FileCheck %s --check-prefix=EXPECT
// EXPECT: error[unknown-name]: the archive has names, `mask`, `image`, and the outputs of `main` have none

// Types without an element type, and inputs that are too many.
// RUN: exits 2 hal-run named.so -i 2x64=1 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: `2x64` has no element type: write `2x64xf32` or another one
// RUN: exits 2 hal-run named.so -i 2xfloat32=1 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: error: `float32` of `2xfloat32` is not an element type; there are f32 f64
// RUN: exits 2 hal-run named.so -i 1 -i 2 -i 3 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: too many inputs: `main` has 2 inputs
// RUN: exits 2 hal-run named.so -i imagee=1 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: hint: did you mean `image`?

func.func @main(%image: tensor<2xf32> {hal.name = "image"}, %mask: tensor<2xf32> {hal.name = "mask"}) -> tensor<2xf32> {
  %r = arith.subf %image, %mask : tensor<2xf32>
  return %r : tensor<2xf32>
}
