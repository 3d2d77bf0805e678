// Plain loops are divided among threads where no thread needs what another one writes; then none runs longer than a driver lets it.
// REQUIRES: vulkan, spirv-tools
// RUN: split-file %s %t
// RUN: hal-import %t/divided.mlir | hal-translate --target=vulkan -O0 --explain --save-code=%t/code -o %t/divided.o.mlir 2>&1 | FileCheck %s --check-prefix=DIVIDED
// RUN: FileCheck %s --check-prefix=COUNT --input-file=%t/divided.o.mlir
// RUN: spirv-val --target-env vulkan1.1 %t/code/product_dispatch_0.vulkan.spv
// RUN: hal-link %t/divided.o.mlir -o %t/divided.so
// RUN: hal-run %t/divided.so --device=vulkan --device-debug --input=130x70xf32=1 --input=70x90xf32=2 --expect=130x90xf32=140
// RUN: hal-translate %t/one.mlir --target=vulkan -o %t/one.o.mlir
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t/one.o.mlir
// RUN: hal-link %t/one.o.mlir -o %t/one.so
// RUN: hal-run %t/one.so --device=vulkan --input=6xf32=1,2,3,4,5,6 --expect=6xf32=7,7,7,7,7,7

// DIVIDED: for vulkan: plain loops by a thread for each iteration: not optimised
// 130 times 90 elements, 64 threads to a workgroup.
// COUNT-NOT: LongLoops
// COUNT: hal.workgroup_size = array<i64: 64, 1, 1>
// COUNT: constant 183
// ONE: hal.workgroup_size = array<i64: 1, 1, 1>

//--- divided.mlir
func.func @product(%a: tensor<130x70xf32>, %b: tensor<70x90xf32>) -> tensor<130x90xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<130x90xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<130x90xf32>) -> tensor<130x90xf32>
  %r = linalg.matmul ins(%a, %b : tensor<130x70xf32>, tensor<70x90xf32>) outs(%init : tensor<130x90xf32>) -> tensor<130x90xf32>
  return %r : tensor<130x90xf32>
}
//--- one.mlir
// What is written is read backwards: another thread would write it.
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    module @v attributes {hal.variant, hal.target = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, api=Vulkan, #spirv.resource_limits<>>} {
      func.func @back(%x: memref<6xf32>, %y: memref<6xf32>) attributes {hal.export, hal.interface = (tensor<6xf32>) -> tensor<6xf32>} {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c5 = arith.constant 5 : index
        %c6 = arith.constant 6 : index
        %t = memref.alloc() : memref<6xf32>
        scf.parallel (%i) = (%c0) to (%c6) step (%c1) {
          %v = memref.load %x[%i] : memref<6xf32>
          memref.store %v, %t[%i] : memref<6xf32>
        }
        scf.parallel (%i) = (%c0) to (%c6) step (%c1) {
          %j = arith.subi %c5, %i : index
          %v = memref.load %x[%i] : memref<6xf32>
          %w = memref.load %t[%j] : memref<6xf32>
          %s = arith.addf %v, %w : f32
          memref.store %s, %y[%i] : memref<6xf32>
        }
        return
      }
    }
  }
  func.func private @back(tensor<6xf32>) -> tensor<6xf32> attributes {hal.entry = @e::@back}
  func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
    %0 = call @back(%x) : (tensor<6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
