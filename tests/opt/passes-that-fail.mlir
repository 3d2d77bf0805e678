// A pass that fails says where, and the old output stays.
// RUN: echo old > %t
// RUN: exits 1 hal-opt %s --allow-unregistered-dialect --one-shot-bufferize -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=OLD < %t
// RUN: hal-opt %s --allow-unregistered-dialect --cse -o %t
// RUN: FileCheck %s --check-prefix=NEW < %t
// OLD: old
// NEW: func.func @f

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: error: op was not bufferized
  // CHECK: passes-that-fail.mlir:[[@LINE+2]]:8
  // CHECK: "other.op"(%x)
  %0 = "other.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
