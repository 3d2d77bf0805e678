// A model that MLIR cannot read, in a dialect of another project say, is given as it is to the first tool at `input`.
// RUN: hal-opt %s --preprocess-input-with='sed s/foreign.twice/arith.addf/' --preprocess-input-with='builtin.module(canonicalize)' | FileCheck %s
// RUN: hal-compile %s --to=input --preprocess-input-with='sed s/foreign.twice/arith.addf/' | FileCheck %s
// CHECK: arith.addf
// RUN: exits 4 hal-compile %s --to=input --preprocess-input-with='sed s/foreign.twice/foreign.thrice/' 2>&1 | FileCheck %s --check-prefix=STILL
// STILL: {{.*}}foreign.thrice
// STILL: this is what `sed s/foreign.twice/foreign.thrice/` replied for model `{{.*}}foreign-models.mlir`
// STILL: it was given the model as it is, because MLIR cannot read it: {{.*}}foreign
// RUN: exits 4 hal-opt %s --preprocess-input-with='exit 9' 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: failed with exit code 9 on model
// FAILS: it was given the model as it is, because MLIR cannot read it: {{.*}}foreign
// RUN: exits 1 hal-opt %s --preprocess-input-with='builtin.module(canonicalize)' 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: exits 1 hal-opt %s --preprocess-global-with=cat 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: foreign-models.mlir:[[# @LINE + 2]]:
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = foreign.twice %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
