// What makes LLVM itself give up, or take for ever, or eat memory, is contained as well.
// RUN: split-file %s %t
// RUN: exits 4 hal-translate %t/scalable.mlir --emit=obj -o %t/o --target=cpu:x86-64@x86_64-linux-gnu --reproducers-to=%t/r 2>&1 | FileCheck %s --check-prefix=SCALABLE
// RUN: exits 4 hal-translate %t/asm.mlir --emit=obj -o %t/o --target=cpu:x86-64@x86_64-linux-gnu --reproducers-to=%t/r 2>&1 | FileCheck %s --check-prefix=ASM
// RUN: exits 4 hal-translate %t/huge.mlir --emit=obj -o %t/o --target=cpu:x86-64@x86_64-linux-gnu --reproducers-to=%t/r --executable-timeout=1s 2>&1 | FileCheck %s --check-prefix=SLOW
// RUN: exits 4 hal-translate %t/huge.mlir --emit=obj -o %t/o --target=cpu:x86-64@x86_64-linux-gnu --reproducers-to=%t/r --executable-memory=8M 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not ls %t/o
// RUN: FileCheck %s --check-prefix=SAID < %t/r/scalable.cpu_x86_64/said.txt
// RUN: FileCheck %s --check-prefix=REPLAY < %t/r/huge.cpu_x86_64/replay
// SCALABLE: error[translation-crashed]: executable `@scalable` for `cpu:x86-64`: LLVM failed: Cannot implicitly convert a scalable size
// SCALABLE: note: to reproduce it, run `{{.*}}/r/scalable.cpu_x86_64/replay`
// ASM: error[translation-crashed]: executable `@asm` for `cpu:x86-64`: LLVM failed: Invalid $ operand number in inline asm string
// SLOW: error[translation-crashed]: executable `@huge` for `cpu:x86-64`: the translation did not finish within 1 s and was ended
// SLOW: hint: `--executable-timeout=DURATION` sets the limit
// MEMORY: the translation ran out of memory (the limit is 8388608 bytes)
// MEMORY: hint: `--executable-memory=SIZE` sets the limit
// SAID: the worker was given up
// SAID: LLVM ERROR: Cannot implicitly convert a scalable size
// REPLAY: #!/bin/sh
// REPLAY: exec hal-translate executable.mlir --emit=obj --target=cpu:x86-64@x86_64-unknown-linux-gnu -O3 --executable-memory=8388608 --reproducers-to=replayed -o executable.o "$@"
//--- scalable.mlir
llvm.func @scalable(%a: !llvm.ptr, %wg: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> vector<[4]xf32>
  %y = llvm.fadd %x, %x : vector<[4]xf32>
  llvm.store %y, %a : vector<[4]xf32>, !llvm.ptr
  llvm.return
}
func.func @scalable_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
//--- asm.mlir
llvm.func @asm(%a: !llvm.ptr, %wg: !llvm.ptr) {
  llvm.inline_asm has_side_effects "movl $9, %eax", "~{eax}" : () -> ()
  llvm.return
}
func.func @asm_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
//--- huge.mlir
llvm.func @huge(%a: !llvm.ptr, %wg: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> vector<16384xf32>
  %y = llvm.fmul %x, %x : vector<16384xf32>
  %z = llvm.fadd %y, %x : vector<16384xf32>
  llvm.store %z, %a : vector<16384xf32>, !llvm.ptr
  llvm.return
}
func.func @huge_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
