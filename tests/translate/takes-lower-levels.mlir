// A kernel may come on buffers, or with the kernel signature in upstream dialects; what is left to do is done.
// RUN: split-file %s %t
// RUN: hal-translate %t/buffers.mlir --emit=asm --target=cpu:haswell@x86_64-linux-gnu | FileCheck %s --check-prefix=ADD
// RUN: hal-translate %t/buffers.mlir --explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: hal-translate %t/kernel.mlir --emit=asm --target=cpu:haswell@x86_64-linux-gnu | FileCheck %s --check-prefix=ADD
// RUN: hal-translate %t/llvm.mlir --emit=asm --target=cpu:haswell@x86_64-linux-gnu | FileCheck %s --check-prefix=ADD
// RUN: exits 1 hal-translate %t/no-count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// ADD: .globl add
// ADD: vaddps
// BUFFERS: given on buffers
// COUNT: error[no-workgroups]: executable `@add` for `cpu:{{.*}}`: export `@add` has the kernel signature, but there is no `@add_workgroups`
//--- buffers.mlir
func.func @add(%a: memref<?xf32>, %out: memref<?xf32>) {
  linalg.add ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>)
  return
}
//--- kernel.mlir
func.func @add(%a: !llvm.ptr, %out: !llvm.ptr, %wg: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> vector<8xf32>
  %y = arith.addf %x, %x : vector<8xf32>
  llvm.store %y, %out : vector<8xf32>, !llvm.ptr
  return
}
func.func @add_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
//--- llvm.mlir
llvm.func @add(%a: !llvm.ptr, %out: !llvm.ptr, %wg: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> vector<8xf32>
  %y = llvm.fadd %x, %x : vector<8xf32>
  llvm.store %y, %out : vector<8xf32>, !llvm.ptr
  llvm.return
}
func.func @add_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
//--- no-count.mlir
func.func @add(%a: !llvm.ptr, %out: !llvm.ptr, %wg: !llvm.ptr) {
  return
}
