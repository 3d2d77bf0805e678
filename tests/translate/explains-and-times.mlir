// `--explain` says which way each export took and why; `--time` where the time went.
// RUN: hal-translate %s --explain --time -o /dev/null 2>&1 | FileCheck %s
// CHECK: @k::@simple for cpu:{{[^:]*}}: tiled and vectorised: elementwise, tiles of {{.*}}one workgroup
// CHECK: @k::@odd for cpu:{{[^:]*}}: plain loops in one workgroup: {{.+}}
// CHECK: generate lower optimize codegen total ms bytes executable
// CHECK: @k for cpu:
// CHECK: sum of 1
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @simple(%a: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %r = arith.addf %a, %a : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    func.func @odd(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> attributes {hal.export} {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %r = scf.for %i = %zero to %n step %one iter_args(%t = %a) -> tensor<4xf32> {
        %u = arith.mulf %t, %t : tensor<4xf32>
        scf.yield %u : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
  }
}
