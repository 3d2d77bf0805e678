// Kernels in GLSL run on a Vulkan device as kernels in C do on the CPU: sizes and scalars, in place, in loops, empty.
// REQUIRES: glslc, validation
// RUN: rm -rf %t && mkdir %t && clang -O2 -fPIC -c -I%include %S/../link/Inputs/kernels.c -o %t/kernels.o
// RUN: glslc -DTWICE %S/Inputs/kernels.comp -o %t/twice.spv && glslc -DINCREMENT %S/Inputs/kernels.comp -o %t/increment.spv && glslc -DADD %S/Inputs/kernels.comp -o %t/add.spv
// RUN: hal-link %s --object-path=%t -o %t/a.so
// RUN: hal-run %t/a.so --list | FileCheck %s --check-prefix=LIST
// RUN: hal-run %t/a.so --device=vulkan --device-debug --function=chain --input=4xf32=1,2,3,4 2>&1 | FileCheck %s --check-prefix=CHAIN --implicit-check-not=warning
// RUN: hal-run %t/a.so --device=vulkan:0 --device-debug --function=in_place --input=4xf32=1,2,3,4 --input=f32=10 2>&1 | FileCheck %s --check-prefix=IN-PLACE --implicit-check-not=warning
// RUN: hal-run %t/a.so --device=vulkan --device-debug --function=repeat --input=i64=3 --input=4xf32=1,2,3,4 2>&1 | FileCheck %s --check-prefix=CHAIN --implicit-check-not=warning
// RUN: hal-run %t/a.so --device=vulkan --device-debug --function=dynamic --input=6xf32=1,2,3,4,5,6 2>&1 | FileCheck %s --check-prefix=DYNAMIC --implicit-check-not=warning
// RUN: hal-run %t/a.so --device=vulkan --function=dynamic --input=0xf32=0 | FileCheck %s --check-prefix=EMPTY
// RUN: hal-run %t/a.so --device=cpu --function=chain --input=4xf32=1,2,3,4 | FileCheck %s --check-prefix=CHAIN
// RUN: hal-benchmark %t/a.so --device=vulkan --function=chain --per-executable --runs=2 --min-time=0 --csv=- | FileCheck %s --check-prefix=BENCHMARK
// RUN: hal-benchmark %t/a.so --device=vulkan --function=in_place --per-executable=isolated --runs=2 --min-time=0 --csv=- | FileCheck %s --check-prefix=ISOLATED
// RUN: hal-link %s --object-path=%t -o %t/b.so && cmp %t/a.so %t/b.so
// RUN: %python %S/../link/Inputs/damage.py %t/a.so --function=chain --input=4xf32=1
// LIST: twice_4 (cpu; also vulkan): 2 bindings, 0 constants
// LIST: increment_4 (cpu; also vulkan): 1 bindings, 1 constants
// CHAIN: [ 8., 16., 24., 32.]
// IN-PLACE: [11., 12., 13., 14.]
// IN-PLACE: [1., 2., 3., 4.]
// IN-PLACE: [21., 22., 23., 24.]
// DYNAMIC: output 0: 6xf32
// DYNAMIC-NEXT: [ 4., 8., 12., 16., 20., 24.]
// EMPTY: output 0: 0xf32
// BENCHMARK: twice_4
// ISOLATED: increment_4
#cpu = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">
#vulkan = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, api=Vulkan, #spirv.resource_limits<>>
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @twice attributes {hal.executable} {
    module @cpu attributes {hal.variant, hal.target = #cpu, hal.objects = [{format = "elf", path = "kernels.o"}]} {
      func.func private @twice_4(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.workgroups = @n}
      func.func private @n() -> (index, index, index) {
        %1 = arith.constant 1 : index
        %4 = arith.constant 4 : index
        return %4, %1, %1 : index, index, index
      }
    }
    module @vulkan attributes {hal.variant, hal.target = #vulkan, hal.objects = [{format = "spirv", path = "twice.spv"}]} {
      func.func private @twice_4(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.workgroups = @n, hal.workgroup_size = array<i64: 4, 1, 1>}
      func.func private @n() -> (index, index, index) {
        %1 = arith.constant 1 : index
        return %1, %1, %1 : index, index, index
      }
    }
  }
  module @increment attributes {hal.executable} {
    module @cpu attributes {hal.variant, hal.target = #cpu, hal.objects = [{format = "elf", path = "kernels.o"}]} {
      func.func private @increment_4(tensor<4xf32>, f32) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.export, hal.workgroups = @n}
      func.func private @n(%s: index) -> (index, index, index) {
        %1 = arith.constant 1 : index
        %4 = arith.constant 4 : index
        return %4, %1, %1 : index, index, index
      }
    }
    module @vulkan attributes {hal.variant, hal.target = #vulkan, hal.objects = [{format = "spirv", path = "increment.spv"}]} {
      func.func private @increment_4(tensor<4xf32>, f32) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.export, hal.workgroups = @n, hal.workgroup_size = array<i64: 4, 1, 1>}
      func.func private @n(%s: index) -> (index, index, index) {
        %1 = arith.constant 1 : index
        return %1, %1, %1 : index, index, index
      }
    }
  }
  module @add attributes {hal.executable} {
    module @cpu attributes {hal.variant, hal.target = #cpu, hal.objects = [{format = "elf", path = "kernels.o"}]} {
      func.func private @add_n(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {hal.export, hal.workgroups = @n}
      func.func private @n(%n: index, %m: index, %o: index, %size: index) -> (index, index, index) {
        %1 = arith.constant 1 : index
        %4 = arith.constant 4 : index
        %c = arith.ceildivui %n, %4 : index
        return %c, %1, %1 : index, index, index
      }
    }
    module @vulkan attributes {hal.variant, hal.target = #vulkan, hal.objects = [{format = "spirv", path = "add.spv"}]} {
      func.func private @add_n(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {hal.export, hal.workgroups = @n, hal.workgroup_size = array<i64: 64, 1, 1>}
      func.func private @n(%n: index, %m: index, %o: index, %size: index) -> (index, index, index) {
        %1 = arith.constant 1 : index
        %64 = arith.constant 64 : index
        %c = arith.ceildivui %n, %64 : index
        return %c, %1, %1 : index, index, index
      }
    }
  }
  func.func private @twice_4(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @twice::@twice_4}
  func.func private @increment_4(tensor<4xf32>, f32) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.entry = @increment::@increment_4}
  func.func private @add_n(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {hal.entry = @add::@add_n}
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
