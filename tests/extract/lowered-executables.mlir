// Executables that are lowered already are extracted as all others; in C their bodies are left to the reader.
// REQUIRES: x86
// RUN: rm -rf %t && mkdir %t && cd %t && hal-extract %s --to=d --as=mlir,c,llvm,asm,benchmark -o /dev/null 2>&1 | FileCheck %s
// CHECK: warning: `k` has no reference in C, its body is left empty: it is lowered already, no longer a function on tensors
// CHECK: warning: `mk` has no reference in C, its body is left empty: it is lowered already, no longer a function on tensors
// CHECK: wrote 13 files of 2 executables
// RUN: FileCheck %s --check-prefix=C < d/l.c
// C: llvm.store
// C: void k(const float *restrict in0, float *restrict out0, const hal_workgroup_t *wg) {
// RUN: clang-22 -Wall -Wextra -Werror -Wno-unused-parameter -Id -c d/l.c -o l.o && clang-22 -Wall -Wextra -Werror -Wno-unused-parameter -Id -c d/m.c -o m.o
// RUN: hal-compile -q d/l.benchmark.mlir -o l.so && hal-run -q l.so --check && hal-compile -q d/m.benchmark.mlir -o m.so && hal-run -q m.so --check
// RUN: hal-substitute %s --sources-from=d -q -o q.mlir && hal-opt %s -o p.mlir && diff p.mlir q.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @l attributes {hal.executable} {
    llvm.func @k(%a: !llvm.ptr, %b: !llvm.ptr, %wg: !llvm.ptr) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
      %v = llvm.load %a {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
      llvm.store %v, %b {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
      llvm.return
    }
    func.func @k_workgroups() -> (index, index, index) { %c = arith.constant 1 : index return %c, %c, %c : index, index, index }
  }
  module @m attributes {hal.executable} {
    func.func @mk(%a: memref<4xf32>, %c: memref<4xf32>)
        attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
      memref.copy %a, %c : memref<4xf32> to memref<4xf32>
      return
    }
    func.func @mk_workgroups() -> (index, index, index) { %c = arith.constant 1 : index return %c, %c, %c : index, index, index }
  }
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @l::@k}
  func.func private @mk(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @m::@mk}
  func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %r = call @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %s = call @mk(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %r, %s : tensor<4xf32>, tensor<4xf32>
  }
}
