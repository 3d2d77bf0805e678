// `--expect` compares, says how outputs differ, and sets the exit code.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run %t.so -i 1,2,3 --expect=2,4,6 --expect=1=1,2,3 2>&1 | FileCheck %s --check-prefix=GOOD
// GOOD-NOT: array
// GOOD: note: 2 outputs are as expected
// RUN: hal-run -q %t.so -i 1,2,3 --expect=2,4,6 2>&1 | count 0

// RUN: exits 1 hal-run %t.so -i 1,2,3 --expect=2,4.5,6.25 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error[wrong-result]: output 0 differs from the expected output in 2 of 3 elements
// BAD: note: first at [1]: got 4, expected 4.5
// BAD: note: largest absolute difference 5.000e-1 at [1], relative 1.111e-1 at [1]
// BAD: note: tolerance: rtol 1e-5, atol 1e-5

// RUN: exits 1 hal-run %t.so -i 1,2,3 --expect=2,4.001,6 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: hint: `--rtol=2.5e-4` accepts it
// RUN: hal-run -q %t.so -i 1,2,3 --expect=2,4.001,6 --rtol=2.5e-4
// RUN: hal-run -q %t.so -i 1,2,3 --expect=2,4.001,6 --atol=0.01
// RUN: exits 1 hal-run -q %t.so -i 1,2,3 --expect=2,4.000001,6 --rtol=0 --atol=0

// NaN equals NaN, infinity only itself.
// RUN: hal-run -q %t.so -i nan,inf,3 --expect=nan,inf,6
// RUN: exits 1 hal-run %t.so -i 1,2,3 --expect=nan,4,6 --rtol=9 --atol=9 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: first at [0]: got 2, expected NaN

// All outputs that differ are told.
// RUN: exits 1 hal-run %t.so -i 1,2,3 --expect=0 --expect=0 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: output 0 differs
// TWO: output 1 differs

// RUN: exits 1 hal-run %t.so -i 1,2,3 --expect=4xf32=0 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error[wrong-type]: output 0 is `3xf32`, this is `4xf32`
// RUN: exits 2 hal-run %t.so -i 1,2,3 --rtol=-1 2>&1 | FileCheck %s --check-prefix=RTOL
// RTOL: not a number of at least 0

// With --output, both happen.
// RUN: hal-run -q %t.so -i 1,2,3 --expect=2,4,6 --output=0=- | FileCheck %s --check-prefix=BOTH
// BOTH: array([2., 4., 6.], dtype=float32)

func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %r = arith.addf %x, %x : tensor<3xf32>
  return %r, %x : tensor<3xf32>, tensor<3xf32>
}
