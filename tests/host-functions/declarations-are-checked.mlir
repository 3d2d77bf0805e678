// A malformed declaration of a host function, or a call where none can be, is an error at its place.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: exits 1 hal-import bad.mlir 2>&1 | FileCheck %s
// CHECK: error[bad-form]: `hal.host_function` of `@unnamed` is `"lookup"`; it is `"module.function"`, letters, digits and `_`
// CHECK: --> bad.mlir:1:1
// CHECK: error[bad-form]: `hal.host_function` of `@word` is `unit`; it is `"module.function"`
// CHECK: error[bad-form]: `@both` has `hal.host_function` and `hal.objects`; it is either or
// CHECK: error[bad-form]: `hal.module_version` of `@version` is no number of at least 0
// CHECK: error[bad-form]: argument 0 of host function `@type` has type `tensor<2xi4>`; ranked tensors and numbers of 8 bits and more, and `i1`, can be passed
// CHECK: error[bad-form]: `hal.pure` of `@alone` stands without `hal.host_function`
// CHECK: error[bad-form]: function `@defined` has a body and `hal.host_function`, which is for declarations
// CHECK: error[bad-form]: host function `@number` is called inside of `linalg.generic`, which runs on a device; kernels call functions with `hal.objects` or `hal.import`
// CHECK: --> bad.mlir:13:10
// RUN: exits 1 hal-import unused.mlir 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: error[unused-declaration]: host function `@f` is declared, but nothing calls it
// RUN: exits 1 hal-import unranked.mlir 2>&1 | FileCheck %s --check-prefix=UNRANKED
// UNRANKED: error[unsupported]: argument 0 of function `@f` has type `tensor<*xf32>`: the rank must be known
// RUN: exits 1 hal-translate inside.mlir 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: error[bad-form]: host function `@f` is declared in an executable; only the host program can call it
// Declared and not defined: the ways to say who implements a function.
// RUN: exits 1 hal-import nobody.mlir 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error[unsupported]: function `@f` is declared but not defined
// NOBODY: `hal.host_function` what the host calls
//--- bad.mlir
func.func private @unnamed() attributes {hal.host_function = "lookup"}
func.func private @word() attributes {hal.host_function}
func.func private @both() attributes {hal.host_function = "a.b", hal.objects = [{path = "x.o"}]}
func.func private @version() attributes {hal.host_function = "a.b", hal.module_version = -1 : i32}
func.func private @type(tensor<2xi4>) attributes {hal.host_function = "a.b"}
func.func private @alone(f32) -> f32 attributes {hal.import, hal.pure}
func.func private @number(f32) -> f32 attributes {hal.host_function = "a.b"}
func.func private @defined() attributes {hal.host_function = "a.b"} { return }
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = func.call @number(%i) : (f32) -> f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
//--- unused.mlir
func.func private @f() attributes {hal.host_function = "a.b"}
func.func @main() { return }
//--- unranked.mlir
func.func private @f(tensor<*xf32>) attributes {hal.host_function = "a.b"}
func.func @main() { return }
//--- nobody.mlir
func.func private @f()
func.func @main() { return }
//--- inside.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func private @f(f32) attributes {hal.host_function = "a.b"}
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
  }
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@k}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
