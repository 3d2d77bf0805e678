// What is wrong with patterns is told before anything runs; patterns without an end are stopped.
// RUN: exits 2 hal-opt no-such-file --stage='%S/Inputs/patterns.mlir[pattern=small]' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[unknown-name]: `{{.*}}patterns.mlir` has no pattern `@small`
// UNKNOWN: note: it has `@small_matmul`, `@endless`
// RUN: exits 1 hal-opt %s --stage='%S/Inputs/patterns.mlir[endless]' 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: error[patterns-failed]: `{{.*}}patterns.mlir[endless]` failed: the patterns do not terminate
// RUN: sed 's/pdl.replace %%product with %%call/pdl.apply_native_rewrite "mine"(%%product : !pdl.operation)/' %S/Inputs/patterns.mlir > %t.native.mlir
// RUN: exits 1 hal-opt no-such-file --stage=%t.native.mlir 2>&1 | FileCheck %s --check-prefix=NATIVE
// NATIVE: error[bad-pattern]: native function `mine` is not available
// The module has another kernel of that name.
// RUN: sed 's/^func.func @main/func.func private @my_matmul() attributes {hal.import}\n&/' %S/Inputs/model.mlir > %t.other.mlir
// RUN: exits 1 hal-opt %t.other.mlir --stage='%S/Inputs/patterns.mlir[small_matmul]' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error[duplicate-kernel]: the module has another `@my_matmul` than the stage's file
func.func @main(%a: f32, %b: f32) -> f32 {
  %m = arith.addf %a, %b : f32
  return %m : f32
}
