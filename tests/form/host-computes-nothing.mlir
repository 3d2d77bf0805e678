// A program whose stamp promises executables, but whose host program still computes on tensors, is refused by every tool.
// RUN: exits 1 hal-opt %s 2>&1 | FileCheck %s
// RUN: exits 1 hal-translate %s 2>&1 | FileCheck %s
// RUN: exits 1 hal-extract %s --to=%t 2>&1 | FileCheck %s
// CHECK: error[bad-form]: `linalg.add` is outside an executable; only a program of phase `input` has that
// CHECK: host-computes-nothing.mlir:[[#@LINE+4]]:10
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %e = tensor.empty() : tensor<2xf32>
    %r = linalg.add ins(%x, %x : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
}
