// What happens between passes is shown on standard error; the output stays the same.
// RUN: hal-opt %s --canonicalize --cse --print-ir-after-all -o %t 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: hal-opt %s --canonicalize --print-ir-before-all -o %t 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: hal-opt %s --canonicalize --cse --timing -o %t 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: FileCheck %s < %t
// RUN: hal-opt --list-passes | FileCheck %s --check-prefix=LIST

// AFTER: IR Dump After Canonicalizer
// AFTER: func.func @f
// AFTER: IR Dump After CSE
// BEFORE: IR Dump Before Canonicalizer
// TIME: seconds share step
// TIME: parse
// TIME: canonicalize
// TIME: cse
// TIME: write
// TIME: 100.0 % total
// LIST: --canonicalize
// LIST: --max-iterations
// LIST: --cse
// CHECK: func.func @f
func.func @f() {
  return
}
