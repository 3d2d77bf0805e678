// With `--verify-diagnostics`, a message without comment and a comment without message are errors.
// RUN: exits 1 hal-opt %s --split-input-file --verify-diagnostics --message-format=short 2>&1 | FileCheck %s

// CHECK: unexpected-messages.mlir:[[@LINE+2]]:3: error: unexpected error: custom op 'nonsense' is unknown
func.func @f() {
  nonsense
}
// -----
// CHECK: unexpected-messages.mlir:[[@LINE+1]]:21: error: expected error "oops" was not produced
func.func @g() { // expected-error {{oops}}
  return
}
// -----
func.func @h() {
  // The kind counts.
  // CHECK: unexpected-messages.mlir:[[@LINE+2]]:3: error: unexpected error: custom op 'nonsense' is unknown
  // expected-warning@+1 {{custom op 'nonsense' is unknown}}
  nonsense
}
// -----
// CHECK: error: `[` is not a regular expression
func.func @i() { // expected-error-re {{a {{[}} b}}
  return
}
