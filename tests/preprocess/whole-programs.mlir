// The hooks `input` and `global` see the whole module; its name, phase and public functions must stay.
// RUN: hal-opt %s --preprocess-input-with='sed s/addf/mulf/' | FileCheck %s --check-prefix=MODEL
// MODEL: arith.mulf
// RUN: hal-import %s --to=input | hal-opt --preprocess-global-with='test $HALYARD_HOOK/$HALYARD_PHASE = global/input && sed s/addf/mulf/' --preprocess-global-with='builtin.module(func.func(cse))' | FileCheck %s --check-prefix=GLOBAL
// GLOBAL: hal.phase = "input"
// GLOBAL: arith.mulf
// RUN: exits 4 hal-opt %s --preprocess-input-with='sed s/@main/@start/' 2>&1 | FileCheck %s --check-prefix=RENAMED
// RENAMED: error[interface-changed]: the program lost its function `@main`: it has `@start`
// RENAMED: the program has a new public function `@start`
// RENAMED: hint: make it `private`
// RUN: exits 4 hal-opt %s --preprocess-input-with='sed s/4xf32/5xf32/g' 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error[interface-changed]: function `@main` has another type than it had
// TYPE: before: `(tensor<4xf32>) -> tensor<4xf32>`
// RUN: hal-import %s --to=input | exits 4 hal-opt --preprocess-global-with='sed s/input/objects/' 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: error[interface-changed]: the program came back in another phase: "objects" instead of "input"
// RUN: exits 4 hal-opt %s --preprocess-input-with='echo nonsense' 2>&1 | FileCheck %s --check-prefix=NONSENSE
// NONSENSE: input/stdout.mlir:1:1
// RUN: exits 1 hal-opt %s --preprocess-input-with='builtin.module(symbol-privatize,symbol-dce)' 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: the program lost its function `@main`: it has none
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = arith.addf %x, %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
