// Each hook needs a program in its phase; the message names the tool that is missing, or before which it belongs.
// RUN: exits 1 hal-opt %s --preprocess-executables-with=cat 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error[wrong-phase]: `--preprocess-executables-with` needs a program in phase `executables`, this one is in phase `input`
// EARLY: hint: run `hal-import` before it
// RUN: exits 1 hal-opt %s --preprocess-objects-with=cat 2>&1 | FileCheck %s --check-prefix=OBJECTS
// OBJECTS: needs a program in phase `objects`
// OBJECTS: hint: run `hal-translate` before it
// RUN: hal-import %s | exits 1 hal-opt --preprocess-global-with=cat 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: needs a program in phase `input`, this one is in phase `executables`
// LATE: hint: put it before `hal-import` in the pipe
// RUN: hal-import %s | hal-translate | exits 1 hal-opt --preprocess-executables-with=cat 2>&1 | FileCheck %s --check-prefix=TRANSLATED
// TRANSLATED: needs a program in phase `executables`, this one is in phase `objects`
// TRANSLATED: hint: put it before `hal-translate` in the pipe
// RUN: echo 'module {}' | exits 1 hal-opt --preprocess-executables-with=cat 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error[not-a-program]: `--preprocess-executables-with` needs a program, and the module has no `hal.phase`
// FOREIGN: hint: run `hal-import` first
// RUN: echo 'module attributes {hal.phase = "executables", hal.version = 1 : i32} {}' | hal-opt --preprocess-executables-with=cat 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warning: cat did not run: the program has no executables
// RUN: exits 2 hal-opt %s --preprocess-objects-with='builtin.module(cse)' 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: `--preprocess-objects-with` takes commands: a stage works on MLIR, not on objects
module @early attributes {hal.phase = "input", hal.version = 1 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = arith.addf %x, %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// A limit on commands where there is none is an error, too.
// RUN: exits 2 hal-opt %s --preprocess-timeout=3s 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: exits 2 hal-opt %s --preprocess-timeout=3s --preprocess-global-with='builtin.module(cse)' 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: `--preprocess-timeout=3` has no effect: no command is given
// RUN: exits 2 hal-opt %s --preprocess-timeout=soon --preprocess-global-with=cat 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: a duration is a number with `ms`, `s`, `m` or `h`, as in `30s`
