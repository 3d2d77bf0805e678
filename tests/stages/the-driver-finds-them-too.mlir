// The driver takes stages of every kind at its hooks, and hands on where they are looked for.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/python/whole.py %S/Inputs/python/generators.py %S/Inputs/python/shared.py %t
// RUN: printf 'variables: {to: x}\npipeline:\n  - transform: whole.py{name=${to}}\n  - pass: canonicalize\n' > %t/rename.yaml
// RUN: hal-compile %s --to=executables --stage-path=%t --stage='input:rename.yaml{to=renamed}' | FileCheck %s
// RUN: hal-compile %s --to=executables --stage-path=%t --preprocess-executables-with='tile.mlir{rows=2 columns=2 depth=2}' --preprocess-input-with='whole.py{name=mm}' | FileCheck %s --check-prefix=TILED
// RUN: hal-compile %s --dry-run --stage-path=%t --stage-timeout=30s --stage=input:rename.yaml -o %t/p.so | FileCheck %s --check-prefix=PLAN
// RUN: exits 2 hal-compile %s --to=executables --stage-path=%t --stage='input:rename.yaml{of=x}' 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: hal.phase = "executables"
// TILED: scf.for
// CHECK: func.func @renamed
// PLAN: hal-opt {{.*}}--stage=rename.yaml --stage-path={{.*}} --stage-timeout=30
// WRONG: error[unknown-name]: pipeline file `{{.*}}rename.yaml` has no variable `of`
func.func @mm(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
