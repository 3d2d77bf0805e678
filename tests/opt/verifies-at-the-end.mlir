// `--verify-each=false` skips the checks between passes, not the one of the result.
// RUN: hal-opt %s --verify-each=false --cse | FileCheck %s
// RUN: hal-opt %s --verify-each --cse | FileCheck %s
// RUN: exits 2 hal-opt %s --verify-each=maybe 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: invalid value 'maybe'
// CHECK: func.func @f
func.func @f() {
  return
}
