// What a Vulkan device cannot compute with is refused by name, never taken for another type.
// RUN: split-file %s %t
// RUN: exits 1 hal-translate %t/bf16.mlir --target=vulkan 2>&1 | FileCheck %s --check-prefix=BF16
// RUN: exits 1 hal-translate %t/bf16.mlir --target=vulkan -O0 2>&1 | FileCheck %s --check-prefix=BF16
// RUN: exits 1 hal-translate %t/f16.mlir --target=vulkan,-Float16 2>&1 | FileCheck %s --check-prefix=F16
// RUN: exits 1 hal-translate %t/f64.mlir --target=vulkan,-Float64 2>&1 | FileCheck %s --check-prefix=F64
// RUN: exits 1 hal-translate %t/many.mlir --target=vulkan 2>&1 | FileCheck %s --check-prefix=MANY
// BF16: error[unsupported-type]: executable `@k` for `vulkan`: arithmetic in `bf16` is not possible on `vulkan`: SPIR-V 1.3 has no such type
// F16: error[unsupported-type]: executable `@k` for `vulkan,-Float16`: arithmetic in `f16` is not possible
// F16: hint: leave `-Float16` out of `--target`
// F64: error[unsupported-type]: executable `@k` for `vulkan,-Float64`: {{.*}}`f64` is not possible
// MANY: executable `@k` for `vulkan`: kernel `k` takes 17 constants, 136 bytes

//--- bf16.mlir
func.func @k(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = arith.addf %x, %x : tensor<4xbf16>
  return %r : tensor<4xbf16>
}
//--- f16.mlir
func.func @k(%x: tensor<4xf16>) -> tensor<4xf16> {
  %r = arith.addf %x, %x : tensor<4xf16>
  return %r : tensor<4xf16>
}
//--- f64.mlir
func.func @k(%x: tensor<4xf64>) -> tensor<4xf64> {
  %r = math.exp %x : tensor<4xf64>
  return %r : tensor<4xf64>
}
//--- many.mlir
func.func @k(%x: tensor<4xi64>, %a: i64, %b: i64, %c: i64, %d: i64, %e: i64, %f: i64, %g: i64, %h: i64, %i: i64, %j: i64, %l: i64, %m: i64, %n: i64, %o: i64, %p: i64, %q: i64, %r: i64) -> tensor<4xi64> {
  return %x : tensor<4xi64>
}
