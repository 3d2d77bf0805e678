// Dynamic sizes are constants of the C function, in the order of the kernel ABI; scalars come as 64 bits.
// REQUIRES: x86
// RUN: rm -rf %t && mkdir %t && cd %t && hal-extract %s --to=c --as=c -q -o /dev/null && FileCheck %s < c/e.c && FileCheck %s --check-prefix=TIED < c/inplace.c
// RUN: %python %S/Inputs/replace_all.py %s c q.mlir clang-22 gcc
// RUN: hal-compile -q %s -o p.so && hal-compile -q q.mlir -o q.so && hal-benchmark p.so q.so --runs=1 --min-time=0 --warmup=0 -i 3x4xf32=random:1 -i 5x4xf32=random:2 | FileCheck %s --check-prefix=SAME
// SAME: the outputs of `main` agree
// CHECK: * e_k
// CHECK-NEXT: *   in0: tensor<?x4xf32>, read; element [i][j] is in0[i * 4 + j]
// CHECK-NEXT: *   in1: tensor<?x4xf32>, read; element [i][j] is in1[i * 4 + j]
// CHECK-NEXT: *   out0: tensor<?x?xf32>, written; element [i][j] is out0[i * out0_d1 + j]
// CHECK: void e_k(
// CHECK-NEXT: const float *restrict in0, const float *restrict in1, float *restrict out0, int64_t in0_d0,
// CHECK-NEXT: int64_t in1_d0, int64_t out0_d0, int64_t out0_d1, int64_t s2, int64_t s3, int64_t s4_bits,
// CHECK-NEXT: int64_t s5_bits, const hal_workgroup_t *wg) {
// CHECK: if (wg->id[0] | wg->id[1] | wg->id[2]) return;
// CHECK: memcpy(&s4, &s4_bits, sizeof s4);
// TIED: in0: tensor<4xf32>, read and written; element [i] is in0[i]
// TIED: result 0: tensor<4xf32>, in the buffer of in0
// TIED: void inplace_k(float *restrict in0, const float *restrict in1, const hal_workgroup_t *wg) {
// TIED-NOT: memcpy
// TIED: in0[i] =
#id = affine_map<(i) -> (i)>
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @e_k(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %m: index, %n: index, %scale: f32, %shift: i16) -> (tensor<?x?xf32> {hal.dims = array<i64: 2, 3>}) attributes {hal.export} {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty(%m, %n) : tensor<?x?xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%x: f32, %o: f32):
        %s = arith.sitofp %shift : i16 to f32
        %1 = arith.mulf %x, %scale : f32
        %2 = arith.addf %1, %s : f32
        linalg.yield %2 : f32
      } -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
  }
  func.func private @e_k(tensor<?x4xf32>, tensor<?x4xf32>, index, index, f32, i16) -> (tensor<?x?xf32> {hal.dims = array<i64: 2, 3>}) attributes {hal.entry = @e::@e_k}
  module @inplace attributes {hal.executable} {
    func.func @inplace_k(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.export} {
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : tensor<4xf32>) outs(%a : tensor<4xf32>) {
      ^bb0(%x: f32, %o: f32):
        %1 = arith.addf %x, %o : f32
        linalg.yield %1 : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
  func.func private @inplace_k(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.entry = @inplace::@inplace_k}
  func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> (tensor<?x?xf32>, tensor<4xf32>) {
    %c0 = arith.constant 0 : index
    %m = tensor.dim %a, %c0 : tensor<?x4xf32>
    %n = tensor.dim %b, %c0 : tensor<?x4xf32>
    %scale = arith.constant 1.5 : f32
    %shift = arith.constant -3 : i16
    %r = call @e_k(%a, %b, %m, %n, %scale, %shift) : (tensor<?x4xf32>, tensor<?x4xf32>, index, index, f32, i16) -> tensor<?x?xf32>
    %s = tensor.extract_slice %a[1, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %t = tensor.extract_slice %b[2, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %u = call @inplace_k(%s, %t) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %r, %u : tensor<?x?xf32>, tensor<4xf32>
  }
}
