// A variant for Vulkan that holds a kernel of the gpu dialect, or a function on buffers, is finished from where it is.
// RUN: hal-translate %s --target=vulkan | FileCheck %s
// RUN: hal-translate %s --target=vulkan | hal-link -o %t.so
// RUN: hal-run %t.so --device=vulkan --function=main --input=1,2,3,4 | FileCheck %s --check-prefix=RESULT
// REQUIRES: vulkan
// CHECK: module @given attributes {hal.features = [], hal.objects = [{data = {{.*}}, format = "spirv"
// CHECK: hal.workgroup_size = array<i64: 4, 1, 1>
// CHECK: module @buffers attributes {hal.features = [], hal.objects = [{data = {{.*}}, format = "spirv"
// CHECK: hal.workgroup_size = array<i64: 1, 1, 1>
// RESULT: array([3., 5., 7., 9.]
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e0 attributes {hal.executable} {
    module @given attributes {hal.variant, hal.target = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, api=Vulkan, #spirv.resource_limits<>>} {
      func.func private @twice(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export}
      func.func @twice_workgroups() -> (index, index, index) {
        %c1 = arith.constant 1 : index
        return %c1, %c1, %c1 : index, index, index
      }
      gpu.module @kernels {
        gpu.func @twice(%x: memref<?xf32, #spirv.storage_class<StorageBuffer>>, %y: memref<?xf32, #spirv.storage_class<StorageBuffer>>) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
          %i = gpu.thread_id x
          %v = memref.load %x[%i] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
          %w = arith.addf %v, %v : f32
          memref.store %w, %y[%i] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
          gpu.return
        }
      }
    }
  }
  module @e1 attributes {hal.executable} {
    module @buffers attributes {hal.variant, hal.target = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, api=Vulkan, #spirv.resource_limits<>>} {
      func.func @more(%x: memref<4xf32>, %y: memref<4xf32>) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
        %one = arith.constant 1.0 : f32
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        scf.for %i = %c0 to %c4 step %c1 {
          %v = memref.load %x[%i] : memref<4xf32>
          %w = arith.addf %v, %one : f32
          memref.store %w, %y[%i] : memref<4xf32>
        }
        return
      }
    }
  }
  func.func private @twice(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e0::@twice}
  func.func private @more(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e1::@more}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @more(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
