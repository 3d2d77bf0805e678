// `--verify-diagnostics` succeeds if the messages are those that the comments ask for, in all of upstream's forms.
// RUN: hal-opt %s --split-input-file --verify-diagnostics | count 0

func.func @same_line() {
  nonsense // expected-error {{custom op 'nonsense' is unknown}}
}
// -----
func.func @below() {
  // A comment between counts as a line, one of ours does not.
  // expected-error@below {{custom op 'nonsense' is unknown}}
  nonsense
}
// -----
func.func @above() {
  nonsense
  // expected-error@above {{custom op 'nonsense' is unknown}}
}
// -----
func.func @plus() {
  // expected-error@+1 {{custom op 'nonsense' is unknown}}
  nonsense
}
// -----
func.func @minus() {
  nonsense
  // expected-error@-1 {{custom op 'nonsense' is unknown}}
}
// -----
func.func @regex() {
  // expected-error-re@below {{custom op {{'non[a-z]+'}} is unknown}}
  nonsense
}
// -----
func.func @note() -> i32 {
  %0 = arith.constant 1 : i32 // expected-note {{prior use here}}
  // expected-error@below {{use of value '%0' expects different type than prior uses}}
  %1 = arith.addf %0, %0 : f32
  return %0 : i32
}
