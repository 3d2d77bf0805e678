// Wrong command lines, programs without executables, folders that cannot be written, kinds that an executable lacks.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-import %S/Inputs/two.mlir -o p.mlir
// RUN: exits 2 hal-extract p.mlir 2>&1 | FileCheck %s --check-prefix=TO
// TO: --to <FOLDER>
// RUN: exits 2 hal-extract p.mlir --to=- 2>&1 | FileCheck %s --check-prefix=DASH
// DASH: error: files need a folder: they cannot go to standard output
// RUN: exits 2 hal-extract p.mlir --to=d --as=rust 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: invalid value 'rust' for '--as <KIND[,…]>'
// KIND: [possible values: mlir, bytecode, llvm, asm, obj, ptx, spirv, spvasm, c, glsl, cuda, schedule, benchmark]
// RUN: exits 1 hal-extract p.mlir --to=d --as=spirv -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPIRV
// SPIRV: error[no-objects]: executable `@main_dispatch_0` has no SPIR-V
// SPIRV: hint: run `hal-translate --target=vulkan` before `hal-extract`
// RUN: touch file && exits 3 hal-extract p.mlir --to=file 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot make the folder `file`
// RUN: exits 3 hal-extract p.mlir --to=file/d 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: error: cannot make the folder `file/d`
// RUN: exits 3 hal-extract no.mlir --to=d 2>&1 | FileCheck %s --check-prefix=NO
// NO: error: cannot read `no.mlir`
// RUN: exits 1 hal-extract --to=d < /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error[empty-input]: the input is empty
// RUN: exits 1 hal-extract %s --to=d 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: error[not-a-program]: this is MLIR, but not a Halyard program
// RUN: hal-import --to=input %s -o i.mlir && exits 1 hal-extract i.mlir --to=d 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: error[wrong-phase]: `hal-extract` needs a program in phase `executables`, this one is in phase `input`
// PHASE: hint: run `hal-import` before `hal-extract`
// RUN: hal-import %s -o none.mlir && exits 1 hal-extract none.mlir --to=d 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error[no-executable]: the program has no executables
// RUN: exits 1 hal-extract p.mlir --to=d --as=obj 2>&1 | FileCheck %s --check-prefix=OBJ
// OBJ: error[no-objects]: executable `@main_dispatch_0` has no objects
// OBJ: hint: run `hal-translate` before `hal-extract --as=obj`
// RUN: hal-extract p.mlir --to=d --as=obj --lenient -o /dev/null 2>&1 | FileCheck %s --check-prefix=LENIENT
// LENIENT: warning[no-objects]: executable `@main_dispatch_0` has no objects
// LENIENT: wrote 0 files of 2 executables
// When it fails nothing goes on.
// RUN: exits 3 hal-extract p.mlir --to=file > out 2> said && count 0 < out
// A reader that has left is no error.
// RUN: hal-extract p.mlir --to=d -q | head -n 1 | count 1
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
