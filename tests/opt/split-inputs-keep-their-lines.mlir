// A message about the second part names the line of the file, and nothing is written.
// RUN: exits 1 hal-opt %s --split-input-file --message-format=short > %t.out 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: count 0 < %t.out
// CHECK: split-inputs-keep-their-lines.mlir:[[@LINE+5]]:3: error: custom op 'nonsense' is unknown
func.func @fine() { return }
// -----

func.func @f() {
  nonsense
}
