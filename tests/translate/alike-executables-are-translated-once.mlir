// Executables that are the same but for names get the same code under their own names.
// RUN: hal-translate %s --target=cpu:haswell@x86_64-linux-gnu --time -o %t.mlir 2>%t.time
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=TIME < %t.time
// RUN: hal-opt %t.mlir -o /dev/null
// An object does not show whether another executable is the same: it is the one of the executable by itself.
// RUN: hal-extract %t.mlir two --as=obj --to=%t.both > /dev/null
// RUN: hal-translate %s --target=cpu:haswell@x86_64-linux-gnu --emit=obj --executable=two -o %t.two.o
// RUN: cmp %t.two.o %t.both/two.cpu_haswell.o
// CHECK: module @one
// CHECK: func.func private @swap_a{{.*}}hal.workgroups = @swap_a_workgroups
// CHECK: func.func @swap_a_workgroups
// CHECK: module @two
// CHECK: func.func private @b{{.*}}hal.workgroups = @b_workgroups
// CHECK: func.func private @a{{.*}}hal.workgroups = @a_workgroups
// CHECK: one_cpu_haswell:
// CHECK: two_cpu_haswell:
// The second costs next to nothing.
// TIME: 0.0 0.0 0.0 0.{{[0-9]}} 0.{{[0-9]}} {{.*}} @two for cpu:haswell
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @one attributes {hal.executable} {
    func.func @swap_a(%x: tensor<16xf32>) -> tensor<16xf32> attributes {hal.export} {
      %r = arith.addf %x, %x : tensor<16xf32>
      return %r : tensor<16xf32>
    }
    func.func @b(%x: tensor<16xf32>) -> tensor<16xf32> attributes {hal.export} {
      %r = arith.mulf %x, %x : tensor<16xf32>
      return %r : tensor<16xf32>
    }
  }
  module @two attributes {hal.executable} {
    func.func @b(%x: tensor<16xf32>) -> tensor<16xf32> attributes {hal.export} {
      %r = arith.addf %x, %x : tensor<16xf32>
      return %r : tensor<16xf32>
    }
    func.func @a(%x: tensor<16xf32>) -> tensor<16xf32> attributes {hal.export} {
      %r = arith.mulf %x, %x : tensor<16xf32>
      return %r : tensor<16xf32>
    }
  }
}
