// REQUIRES: x86
// The hook `object`: an object in, an object of the same kind and architecture with the same exports out.
// RUN: hal-import %s | hal-translate -o %t.mlir
// RUN: hal-opt %t.mlir --preprocess-objects-with='echo $HALYARD_EXECUTABLE $HALYARD_VARIANT $HALYARD_OBJECT $HALYARD_FORMAT $HALYARD_EXPORTS >&2; cat' -o %t.same.mlir 2>&1 | FileCheck %s --check-prefix=ENV
// ENV: on object 0 of `@[[E:[a-z_0-9]+]]::@[[V:cpu[a-z0-9_]*]]`:
// ENV-NEXT: [[E]] [[V]] 0 elf main_dispatch_0
// RUN: hal-opt %t.mlir | cmp - %t.same.mlir
// RUN: hal-opt %t.mlir --preprocess-objects-with='cat >%t.o; llvm-objcopy --add-section .mine=%s %t.o %t.2.o && cat %t.2.o' -o %t.changed.mlir
// RUN: not cmp %t.mlir %t.changed.mlir
// RUN: hal-link %t.changed.mlir -o %t.so
// RUN: hal-run %t.so --input=4xf32=1,2,3,4 | FileCheck %s --check-prefix=RESULT
// RESULT: 2., 4., 6., 8.
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='echo text' 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error[bad-object]: the reply is
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='cat /bin/true' 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: error[bad-object]: the reply is
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='head -c 300' 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='cat >%t.o; llvm-objcopy --redefine-sym $HALYARD_EXPORTS=other %t.o %t.2.o; cat %t.2.o' 2>&1 | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: error[bad-object]: the reply does not define the export `main_dispatch_0
// SYMBOL: it defines `other`
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='echo "void k(void) {}" | clang-22 --target=aarch64-linux-gnu -xc -c - -o -' 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: error[bad-object]: the reply is for aarch64, not for x86
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
