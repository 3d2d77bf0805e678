// What `hal.schedule` may be, and what it may stand on: every tool checks its form.
// RUN: split-file %s %t
// RUN: not hal-opt %t/key.mlir 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not hal-opt %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not hal-opt %t/word.mlir 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not hal-opt %t/least.mlir 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: not hal-opt %t/target.mlir 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not hal-opt %t/beside.mlir 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: not hal-opt %t/form.mlir 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not hal-opt %t/lowered.mlir 2>&1 | FileCheck %s --check-prefix=LOWERED
// RUN: hal-opt %t/right.mlir | FileCheck %s --check-prefix=RIGHT

// KEY: error[bad-form]: `hal.schedule` of export `@f`: `tiles` is not a key of a schedule; did you mean `tile`?
// KEY-NEXT: key.mlir:3:5
// TYPE: `hal.schedule` of export `@f`: `lanes` is `"four"`, not a number of at least 1
// WORD: `family` is `"fast"`, not one of `"nest"`, `"pooling"`
// LEAST: `tile` is `[0]`, not an array of numbers of at least 1
// TARGET: `hal.schedule` of export `@f`: for `vulkan`: `lines` is not a key of a schedule; did you mean `lanes`?
// BESIDE: `lanes` is not a target, but other keys are
// FORM: it is `4 : i64`, not a dictionary of choices, nor an array of dictionaries
// LOWERED: export `@f` is lowered already; `hal.schedule` is for exports on tensors
// RIGHT: hal.schedule = {cpu = {lanes = 4 : i64, tile = [8]}, vulkan = [{threads = 64 : i64}]}

//--- key.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> attributes {hal.export, hal.schedule = {tiles = [1]}} { return %a : tensor<9xf32> }
  }
}
//--- type.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> attributes {hal.export, hal.schedule = {lanes = "four"}} { return %a : tensor<9xf32> }
  }
}
//--- word.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> attributes {hal.export, hal.schedule = {family = "fast"}} { return %a : tensor<9xf32> }
  }
}
//--- least.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> attributes {hal.export, hal.schedule = {tile = [0]}} { return %a : tensor<9xf32> }
  }
}
//--- target.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> attributes {hal.export, hal.schedule = {cpu = {lanes = 4}, vulkan = {lines = 4}}} { return %a : tensor<9xf32> }
  }
}
//--- beside.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> attributes {hal.export, hal.schedule = {cpu = {}, lanes = 4}} { return %a : tensor<9xf32> }
  }
}
//--- form.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> attributes {hal.export, hal.schedule = 4} { return %a : tensor<9xf32> }
  }
}
//--- lowered.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: memref<9xf32>, %b: memref<9xf32>) attributes {hal.export, hal.interface = (tensor<9xf32>) -> tensor<9xf32>, hal.schedule = {lanes = 4}} { return }
  }
}
//--- right.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> attributes {hal.export, hal.schedule = {cpu = {tile = [8], lanes = 4}, vulkan = [{threads = 64}]}} { return %a : tensor<9xf32> }
  }
}
