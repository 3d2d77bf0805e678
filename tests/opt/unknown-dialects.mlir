// Operations of unknown dialects are errors unless they are allowed.
// RUN: exits 1 hal-opt %s 2>&1 | FileCheck %s --check-prefix=DENIED
// RUN: hal-opt %s --allow-unregistered-dialect | FileCheck %s
// RUN: hal-opt %s --allow-unregistered-dialect --emit=bytecode | hal-opt --allow-unregistered-dialect | FileCheck %s
// DENIED: error: operation being parsed with an unregistered dialect
// CHECK: "other.op"
"other.op"() : () -> ()
