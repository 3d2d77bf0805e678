// What is wrong with a schedule is told before anything runs, or at the step and the operation where it fails.
// RUN: exits 2 hal-opt no-such-file --stage='%S/Inputs/tile.mlir[seq=tiel]' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[unknown-name]: `{{.*}}tile.mlir` has no sequence `@tiel`
// UNKNOWN: note: it has `@tile`, `@mark`, `@fails`, `@two`
// UNKNOWN: hint: did you mean `@tile`?
// RUN: exits 2 hal-opt no-such-file --stage=%S/Inputs/tile.mlir 2>&1 | FileCheck %s --check-prefix=MAIN
// MAIN: error[unknown-name]: `{{.*}}tile.mlir` has no sequence `@__transform_main`
// MAIN: hint: name one: `FILE.mlir[seq=NAME]`
// RUN: exits 3 hal-opt no-such-file --stage=%t.nowhere.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error[cannot-read]: cannot read `{{.*}}nowhere.mlir`: no such file or directory
// RUN: exits 1 hal-opt no-such-file --stage='%S/Inputs/tile.mlir[two]' 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error[bad-schedule]: argument 2 of sequence `@two` is a `!transform.any_op`
// TWO-NEXT: --> {{.*}}tile.mlir:18:3
// RUN: exits 1 hal-opt no-such-file --stage=%s 2>&1 | FileCheck %s --check-prefix=NEITHER
// NEITHER: error[not-a-stage]: `{{.*}}schedules-that-fail.mlir` contains neither a transform script nor PDL patterns
// RUN: head -c 300 %S/Inputs/tile.mlir > %t.cut.mlir && exits 1 hal-opt no-such-file --stage=%t.cut.mlir 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: {{.*}}
// CUT-NEXT: --> {{.*}}cut.mlir:5:
// RUN: sed 's/%%t, %%l:2 = .*/%%p = transform.param.constant 2 : i64 -> !transform.any_param\n%%t, %%l = transform.structured.tile_using_for %%mm tile_sizes [%%p] : (!transform.any_op, !transform.any_param) -> (!transform.any_op, !transform.any_op)/' %S/Inputs/tile.mlir > %t.any.mlir
// RUN: exits 1 hal-opt %s --stage='%t.any.mlir[tile]' 2>&1 | FileCheck %s --check-prefix=ANY
// ANY: error[bad-schedule]: tile sizes of type `!transform.any_param` crash MLIR 22
// ANY: hint: use `!transform.param<i64>`
// All that is wrong with the command line is told at once.
// RUN: exits 2 hal-opt no-such-file --stage='a.mlir[x' --stage='a.mlir[gen=x]' --stage='cse,a.mlir' --stage='a.mlir[x]y' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: error[bad-stage]: the brackets of `a.mlir` are not closed with `]`
// SYNTAX: error[bad-stage]: unknown key `gen` in the brackets of `a.mlir`
// SYNTAX: error[unknown-pass]: unknown pass `a.mlir`
// SYNTAX: hint: use a separate `--stage` for it
// SYNTAX: error[bad-stage]: `y` after `a.mlir` is not understood

// RUN: exits 1 hal-opt %s --stage='%S/Inputs/tile.mlir[fails]' 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error[schedule-failed]: `{{.*}}tile.mlir[fails]` failed: {{.*}}too many tiles provided, expected at most 3 found 4
// FAILS-NEXT: --> {{.*}}tile.mlir:15:16
// FAILS: note: {{.*}}schedules-that-fail.mlir:[[@LINE+2]]:8: target op
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %m : tensor<4x16xf32>
}
