// Kernels get their buffers, sizes and scalars; one that works in place changes nothing else.
// RUN: mkdir -p %t && clang -O2 -fPIC -c -I%S/../../common/runtime/include %S/Inputs/kernels.c -o %t/kernels.o
// RUN: hal-link %s --object-path=%t -o %t/a.so
// RUN: hal-run %t/a.so --function=chain --input=4xf32=1,2,3,4 | FileCheck %s --check-prefix=CHAIN
// RUN: hal-run %t/a.so --function=chain --input=4xf32=1,2,3,4 --threads=1 | FileCheck %s --check-prefix=CHAIN
// RUN: hal-run %t/a.so --function=in_place --input=4xf32=1,2,3,4 --input=f32=10 | FileCheck %s --check-prefix=IN-PLACE
// RUN: hal-run %t/a.so --function=repeat --input=i64=3 --input=4xf32=1,2,3,4 | FileCheck %s --check-prefix=REPEAT
// RUN: hal-run %t/a.so --function=dynamic --input=6xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=DYNAMIC
// RUN: hal-run %t/a.so --function=dynamic --input=0xf32=0 | FileCheck %s --check-prefix=EMPTY
// CHAIN: [ 8., 16., 24., 32.]
// IN-PLACE: [11., 12., 13., 14.]
// IN-PLACE: [1., 2., 3., 4.]
// IN-PLACE: [21., 22., 23., 24.]
// REPEAT: [ 8., 16., 24., 32.]
// DYNAMIC: output 0: 6xf32
// DYNAMIC-NEXT: [ 4., 8., 12., 16., 20., 24.]
// EMPTY: output 0: 0xf32
#target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    module @cpu attributes {hal.variant, hal.target = #target, hal.objects = [{format = "elf", path = "kernels.o"}]} {
      func.func private @twice_4(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.workgroups = @four}
      func.func private @increment_4(tensor<4xf32>, f32) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.export, hal.workgroups = @four_of}
      func.func private @add_n(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {hal.export, hal.workgroups = @quarter}
      func.func private @four() -> (index, index, index) {
        %1 = arith.constant 1 : index
        %4 = arith.constant 4 : index
        return %4, %1, %1 : index, index, index
      }
      func.func private @four_of(%s: index) -> (index, index, index) {
        %1 = arith.constant 1 : index
        %4 = arith.constant 4 : index
        return %4, %1, %1 : index, index, index
      }
      func.func private @quarter(%n: index, %m: index, %o: index, %size: index) -> (index, index, index) {
        %1 = arith.constant 1 : index
        %4 = arith.constant 4 : index
        %c = arith.ceildivui %n, %4 : index
        return %c, %1, %1 : index, index, index
      }
    }
  }
  func.func private @twice_4(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @k::@twice_4}
  func.func private @increment_4(tensor<4xf32>, f32) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.entry = @k::@increment_4}
  func.func private @add_n(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {hal.entry = @k::@add_n}
  func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = call @twice_4(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = func.call @twice_4(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = call @twice_4(%b) : (tensor<4xf32>) -> tensor<4xf32>
    return %c : tensor<4xf32>
  }
  func.func @in_place(%x: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %a = call @increment_4(%x, %s) : (tensor<4xf32>, f32) -> tensor<4xf32>
    %b = call @increment_4(%a, %s) : (tensor<4xf32>, f32) -> tensor<4xf32>
    return %a, %x, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @repeat(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %r = scf.for %i = %0 to %n step %1 iter_args(%a = %x) -> tensor<4xf32> {
      %b = func.call @twice_4(%a) : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %b : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
  func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = arith.constant 0 : index
    %n = tensor.dim %x, %0 : tensor<?xf32>
    %a = call @add_n(%x, %x, %n) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
    %b = call @add_n(%a, %a, %n) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
    return %b : tensor<?xf32>
  }
}
