// What GLSL or CUDA has nothing for is told with why; the file compiles, says what to compute, and is not taken back.
// REQUIRES: glslc
// RUN: rm -rf %t && mkdir %t && cd %t && hal-extract %s --to=g --as=glsl,cuda -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not=warning
// SAID: warning: `loop_k` has no reference in GLSL, its body is left empty: `scf.for` is not written in GLSL
// SAID: warning: `wide_k` has no reference in GLSL, its body is left empty: `math.exp` of `f64` has no function in GLSL
// SAID: warning: `turned_k` has no reference in GLSL, its body is left empty: result 0 takes the place of in0, of which other elements are read
// SAID: warning: `loop_k` has no reference in CUDA, its body is left empty: `scf.for` is not written in CUDA
// SAID: warning: `turned_k` has no reference in CUDA, its body is left empty: result 0 takes the place of in0
// SAID: wrote 8 files of 3 executables
// RUN: FileCheck %s --input-file=g/loop.comp --check-prefixes=CHECK,SHADER && FileCheck %s --input-file=g/loop.cu
// CHECK: It computes:
// CHECK: note = "ends * / the comment"
// CHECK: scf.for
// SHADER: void main() {
// CHECK: /* There is no reference for it: `scf.for` is not written in {{GLSL|CUDA}}. */
// CHECK-NEXT: i < 4; i += threads) {
// CHECK-NEXT: /* Write element i of out0 here: out0[i] = …; */
// RUN: glslc --target-env=vulkan1.1 g/loop.comp -o loop.spv && exits 1 hal-substitute -q %s loop=loop.spv 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: error[wrong-signature]: `loop.spv`: entry point `loop_k` does not use binding 1, result 0, which the kernel writes
// RUN: cd g && clang-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-feature=+ptx70 -O3 -I. -S loop.cu -o loop.ptx && FileCheck %s --input-file=wide.cu --check-prefix=WIDE
// WIDE: const double v1 = exp(x0);
#id = affine_map<(i) -> (i)>
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @loop attributes {hal.executable} {
    func.func @loop_k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, note = "ends */ the comment"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> (tensor<4xf32>) {
        %v = tensor.extract %t[%i] : tensor<4xf32>
        %w = arith.addf %v, %v : f32
        %u = tensor.insert %w into %t[%i] : tensor<4xf32>
        scf.yield %u : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
  }
  module @wide attributes {hal.executable} {
    func.func @wide_k(%x: tensor<4xf64>) -> tensor<4xf64> attributes {hal.export} {
      %e = tensor.empty() : tensor<4xf64>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) {
      ^bb0(%a: f64, %o: f64):
        %1 = math.exp %a : f64
        linalg.yield %1 : f64
      } -> tensor<4xf64>
      return %r : tensor<4xf64>
    }
  }
  module @turned attributes {hal.executable} {
    func.func @turned_k(%x: tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.export} {
      %e = tensor.empty() : tensor<4xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (3 - i)>, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %o: f32):
        linalg.yield %a : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
}
