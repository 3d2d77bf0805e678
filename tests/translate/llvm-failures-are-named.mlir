// What LLVM reports is an error that names the executable; where LLVM gives up altogether, that one is named too.
// RUN: split-file %s %t
// RUN: exits 1 hal-translate %t/constraint.mlir --emit=obj -o %t/a.o --target=cpu:x86-64@x86_64-linux-gnu 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: exits 4 hal-translate %t/intrinsic.mlir --emit=obj -o %t/b.o --target=cpu:x86-64@x86_64-linux-gnu 2>&1 | FileCheck %s --check-prefix=FATAL
// RUN: not ls %t/a.o %t/b.o
// REPORT: error: executable `@k` for `cpu:x86-64`: LLVM cannot generate code: couldn't allocate input reg for constraint '{xmm77}'
// FATAL: error[translation-crashed]: executable `@k` for `cpu:x86-64`: LLVM failed: Cannot select: intrinsic %llvm.x86.sse42.crc32.32.32
//--- constraint.mlir
llvm.func @k(%a: !llvm.ptr, %wg: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> i32
  llvm.inline_asm has_side_effects "nop", "{xmm77}" %x : (i32) -> ()
  llvm.return
}
func.func @k_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
//--- intrinsic.mlir
llvm.func @k(%a: !llvm.ptr, %wg: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> i32
  %y = llvm.call_intrinsic "llvm.x86.sse42.crc32.32.32"(%x, %x) : (i32, i32) -> i32
  llvm.store %y, %a : i32, !llvm.ptr
  llvm.return
}
func.func @k_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
