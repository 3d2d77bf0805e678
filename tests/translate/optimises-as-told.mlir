// `--opt-level` and `--fast-math` reach the code: sums stay in order unless they may be reordered.
// RUN: hal-translate %s --emit=llvm -O0 --target=cpu:haswell@x86_64-linux-gnu | FileCheck %s --check-prefix=NONE
// RUN: hal-translate %s --emit=llvm -O0 --fast-math --target=cpu:haswell@x86_64-linux-gnu | FileCheck %s --check-prefix=FAST
// RUN: hal-translate %s --emit=llvm --fast-math --target=cpu:haswell@x86_64-linux-gnu | FileCheck %s --check-prefix=O3
// RUN: exits 2 hal-translate %s -O4 2>&1 | FileCheck %s --check-prefix=LEVEL
// NONE: fmul contract float
// FAST: fmul reassoc nsz arcp contract afn float
// O3: x float>
// LEVEL: error: invalid value '4' for '--opt-level <LEVEL>'
func.func @dot(%a: tensor<100xf32>, %b: tensor<100xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.dot ins(%a, %b : tensor<100xf32>, tensor<100xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
