// What a list of arguments cannot mean is an error at the declaration, with the item and the column.
// RUN: split-file %s %t && cd %t && clang -O2 -fPIC -c k.c -o k.o && clang -O2 -fPIC -I%include -c load.c -o load.o
// RUN: exits 1 hal-import bad.mlir 2>&1 | FileCheck %s
// CHECK: error[bad-arguments]: `@k0`: item 0 of `hal.arguments`: `bufers` (did you mean `buffers`?) is nothing that a kernel can be passed (column 1 of "bufers")
// CHECK: bad.mlir:1:1
// CHECK: hint: docs/kernel-abi.md#arguments-of-your-own has the words and an example
// CHECK: item 1 of `hal.arguments`: `,` is missing (column 10 of "dim(arg1 0)")
// CHECK: item 0 of `hal.arguments`: `arg7`: there is no argument 7; the kernel has 3 arguments, and 0 is the first
// CHECK: item 1 of `hal.arguments`: `dim(arg1, 3)`: a `tensor<?x4xf32>` has no dimension 3; the first is 0
// CHECK: item 1 of `hal.arguments`: `arg0 : i31`: `i31` is no type of a number; there are `i8`, `i16`, `i32`, `i64`, `f32`, `f64` and `words`
// CHECK: `hal.arguments` does not pass `result0`, which the kernel writes
// CHECK: `hal.arguments` does not pass `arg1`, nor anything of it; leave it out of the declaration
// CHECK: `arg0 : f64`: it is an `i32`, and no `f64`
// CHECK: `arg1 * 2`: argument 1 is a `tensor<?x4xf32>`, and no number
// CHECK: `buffers : i32`: a buffer is a pointer, not `i32`
// CHECK: `arg2 * 2`: argument 2 is a float, which is passed as it is
// CHECK: a workgroup has the positions `x`, `y` and `z` (column 15 of "workgroup_id(w)")
// CHECK: `300 : i8`: 300 does not fit into an `i8`
// CHECK: `9223372036854775807 * 2`: the product does not fit into 64 bits
// CHECK: `dim(arg0, 0)`: argument 0 is a `i32`, which has no sizes
// CHECK: `3 @ 1`: `@` gives a buffer the number of a binding
// What only CPUs have, and what only kernels have.
// RUN: exits 1 hal-import gpu.mlir 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error[bad-arguments]: `@g`: item 1 of `hal.arguments`: `workgroup_id(x)`: the number of a workgroup is passed on CPUs only; a kernel for a GPU asks the GPU, and takes pointers
// GPU: error[bad-arguments]: `@h`: item 1 of `hal.arguments`: `memref(arg0)`: a memref is passed on CPUs only
// GPU: error[bad-arguments]: `@twice`: `hal.arguments` gives binding 1 to `arg0` and `result0`
// RUN: exits 1 hal-import function.mlir 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error[bad-declaration]: `@f` is a function that kernels call, which takes what its type says
// RUN: exits 1 hal-import load.mlir 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: error[bad-declaration]: `@k` has arguments or a symbol of its own, and its object asks for load-time constants or packed weights
// Neither list nor name, or on what is no declaration.
// RUN: exits 1 hal-import form.mlir 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: function `@own` has a body and `hal.arguments`, which is for declarations
// FORM: `hal.arguments` is `"buffers"`, not a list of strings such as ["buffers", "sizes : i32"]
// FORM: `hal.symbol` is `3 : i64`, not the name of a function as a string
// FORM: `hal.arguments` of `@m` is used by none of its entries: each has its own
// An object without the symbol.
// RUN: exits 1 hal-import missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[missing-symbol]: no object of `@k` defines the function `kk`
// MISSING: hint: did you mean `k`?

//--- k.c
void k(const float *x, float *out, int n) { for (int i = 0; i < n; i++) out[i] = x[i]; }
//--- load.c
#include <halyard/kernel.h>
void k(const float *x, float *out, long threads) { out[0] = x[0] + threads; }
HAL_LOAD_CONSTANTS(k, "device.threads")
//--- bad.mlir
func.func private @k0(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["bufers"]}
func.func private @k1(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "dim(arg1 0)"]}
func.func private @k2(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["arg7"]}
func.func private @k3(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "dim(arg1, 3)"]}
func.func private @k4(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "arg0 : i31"]}
func.func private @k5(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["arg1"]}
func.func private @k6(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["result0"]}
func.func private @k7(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "arg0 : f64"]}
func.func private @k8(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "arg1 * 2"]}
func.func private @k9(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers : i32"]}
func.func private @k10(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "arg2 * 2"]}
func.func private @k11(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "workgroup_id(w)"]}
func.func private @k12(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "300 : i8"]}
func.func private @k13(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "arg0", "9223372036854775807 * 2"]}
func.func private @k14(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "dim(arg0, 0)"]}
func.func private @k15(i32, tensor<?x4xf32>, f32) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", symbol = "k"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "3 @ 1"]}
func.func @main(%a: i32, %x: tensor<?x4xf32>, %f: f32) -> tensor<4xf32> {
  %r0 = call @k0(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r1 = call @k1(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r2 = call @k2(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r3 = call @k3(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r4 = call @k4(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r5 = call @k5(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r6 = call @k6(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r7 = call @k7(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r8 = call @k8(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r9 = call @k9(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r10 = call @k10(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r11 = call @k11(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r12 = call @k12(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r13 = call @k13(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r14 = call @k14(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  %r15 = call @k15(%a, %x, %f) : (i32, tensor<?x4xf32>, f32) -> tensor<4xf32>
  return %r15 : tensor<4xf32>
}
//--- k.spvasm
; SPIR-V
; Version: 1.0
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %label = OpLabel
               OpReturn
               OpFunctionEnd
//--- gpu.mlir
func.func private @g(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.spvasm"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "workgroup_id(x)"]}
func.func private @h(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.spvasm"}], hal.workgroups = array<i64: 1>, hal.arguments = ["result0", "memref(arg0)"]}
func.func private @twice(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.spvasm"}], hal.workgroups = array<i64: 1>, hal.arguments = ["arg0 @ 1", "result0"]}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = call @h(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = call @twice(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
//--- function.mlir
func.func private @f(f32) -> f32 attributes {hal.objects = [{path = "k.o"}], hal.arguments = ["arg0"]}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %o: f32) {
    %b = func.call @f(%a) : (f32) -> f32
    linalg.yield %b : f32
  }
  return %r : tensor<4xf32>
}
//--- load.mlir
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "load.o"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers"]}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- form.mlir
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>, hal.arguments = "buffers"}
func.func private @l(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>, hal.symbol = 3}
func.func private @m(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o", arguments = ["buffers", "4 : i32"]}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers"]}
func.func private @own(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.arguments = ["buffers"]} {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %s = call @l(%r) : (tensor<4xf32>) -> tensor<4xf32>
  %t = call @m(%s) : (tensor<4xf32>) -> tensor<4xf32>
  return %t : tensor<4xf32>
}
//--- missing.mlir
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>, hal.symbol = "kk"}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
