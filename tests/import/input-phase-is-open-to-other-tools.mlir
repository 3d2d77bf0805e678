// `--to=input` stops before executables; other tools may work on the functions before `hal-import` goes on.
// RUN: hal-import --to=input %s | FileCheck %s --check-prefix=INPUT
// RUN: hal-import --to=input %s | mlir-opt --canonicalize --cse | hal-import | FileCheck %s
// RUN: hal-import --to=input --emit=bytecode %s | hal-import | FileCheck %s

// INPUT: module @model attributes {hal.phase = "input", hal.version = 1 : i32}
// INPUT-NOT: hal.executable
// INPUT: func.func @main
// INPUT-NEXT: math.exp
// CHECK: module @model attributes {hal.phase = "executables", hal.version = 1 : i32}
// CHECK: func.func @main_dispatch_0_elementwise_exp_4_f32
module @model {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = math.exp %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
