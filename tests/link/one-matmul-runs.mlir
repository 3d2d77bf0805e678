// A program with one hand-written kernel is linked, loaded and run.
// RUN: mkdir -p %t && clang -O2 -fPIC -c -I%S/../../common/runtime/include %S/Inputs/kernels.c -o %t/kernels.o
// RUN: hal-link %s --object-path=%t -o %t/a.so
// RUN: hal-run %t/a.so --input=2x3xf32=1 --input=3x4xf32=2 | FileCheck %s
// CHECK: [6., 6., 6., 6.]
module @mlp attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @mm attributes {hal.executable} {
    module @cpu attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "kernels.o"}]} {
      func.func private @matmul_2x4x3(tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> attributes {hal.export, hal.workgroups = @n}
      func.func private @n() -> (index, index, index) {
        %1 = arith.constant 1 : index
        %2 = arith.constant 2 : index
        return %2, %1, %1 : index, index, index
      }
    }
  }
  func.func private @matmul_2x4x3(tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> attributes {hal.entry = @mm::@matmul_2x4x3}
  func.func @main(%x: tensor<2x3xf32> {hal.name = "x"}, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
    %r = call @matmul_2x4x3(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    return %r : tensor<2x4xf32>
  }
}
