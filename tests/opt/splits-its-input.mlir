// Parts between `// -----` lines are inputs of their own; places in messages are those of the whole file.
// RUN: hal-opt %s --split-input-file --cse | FileCheck %s
// RUN: hal-opt %s --split-input-file | hal-opt --split-input-file | FileCheck %s
// RUN: exits 1 hal-opt %s 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: exits 1 hal-opt %s --split-input-file --convert-func-to-llvm --stage='builtin.module(llvm.func(cse),gpu.module(cse))' --message-format=short 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: exits 2 hal-opt %s --split-input-file --emit=bytecode -o %t 2>&1 | FileCheck %s --check-prefix=BYTES

// WHOLE: redefinition of symbol named 'f'
// EACH-COUNT-2: --stage:{{.*}} would do nothing
// BYTES: error: `--split-input-file` has several results, and bytecode holds one

// CHECK: func.func @f() -> i32
func.func @f() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}

// CHECK: // -----
// -----

// CHECK: func.func @f() -> i64
func.func @f() -> i64 {
  %0 = arith.constant 1 : i64
  return %0 : i64
}
