// A model in a dialect of one's own is lowered by a pass of one's own at the hook `input`, compiled, and gives what numpy gives.
// RUN: rm -rf %t && mkdir %t && cd %t && build-plugin %S poly.so && %python %S/reference.py
// RUN: hal-compile %s -o model.so -q --load-dialect-plugin=poly.so --load-pass-plugin=poly.so --preprocess-input-with='builtin.module(convert-poly-to-linalg)'
// RUN: hal-run model.so --input=@x.npy --expect=@y.npy --rtol=1e-5
//
// Alone, and by way of bytecode; the pipe of commands does the same.
// RUN: hal-opt %s --load-dialect-plugin=poly.so --emit=bytecode | hal-opt --load-dialect-plugin=poly.so | FileCheck %s --check-prefix=SAME
// SAME: %[[Y:.*]] = poly.eval %{{.*}} [1.000000e+00, -2.000000e+00, 5.000000e-01] : tensor<5x?xf32>
// RUN: hal-opt %s --load-dialect-plugin=poly.so --load-pass-plugin=poly.so --stage=convert-poly-to-linalg | hal-import | FileCheck %s --check-prefix=LOWERED
// LOWERED-NOT: poly.
// LOWERED: hal.executable
// RUN: hal-compile %s -o pipe.so --load-dialect-plugin=poly.so --load-pass-plugin=poly.so --preprocess-input-with='builtin.module(convert-poly-to-linalg)' --dry-run > pipe.sh
// RUN: sh -e pipe.sh && cmp model.so pipe.so
// RUN: hal-import %s --load-dialect-plugin=poly.so --load-pass-plugin=poly.so --pipeline=import=%S/import-poly.yaml | FileCheck %s --check-prefix=LOWERED
//
// Its verifier is asked; without the plugin, or the pass, the dialect is named.
// RUN: sed 's/\[1.0, -2.0, 0.5\]/[]/' %s > none.mlir && exits 1 hal-opt none.mlir --load-dialect-plugin=poly.so 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: error: 'poly.eval' op needs a coefficient
// RUN: exits 1 hal-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: error: Dialect `poly' not found for custom op 'poly.eval'
// WITHOUT: hint: `--load-dialect-plugin=LIBRARY` loads a dialect of your own
// RUN: exits 1 hal-compile %s -o x.so 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error[unsupported]: operation `poly.eval` is not supported: the dialect `poly` is not part of MLIR
// FOREIGN: hint: lower it first, with `hal-opt` (a dialect of your own: `--load-dialect-plugin`)
// RUN: exits 1 hal-import %s --load-dialect-plugin=poly.so 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error[unsupported]: operation `poly.eval` is not supported
// LEFT: hint: lower it first, with `hal-opt`
// REQUIRES: numpy
func.func @main(%x: tensor<5x?xf32>) -> tensor<5x?xf32> {
  %y = poly.eval %x [1.0, -2.0, 0.5] : tensor<5x?xf32>
  return %y : tensor<5x?xf32>
}
