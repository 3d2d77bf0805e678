// Kernels without code for the device run on the CPU when that is allowed, with copies around; else they are named.
// REQUIRES: glslc, validation
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c -I%include %S/../link/Inputs/kernels.c -o kernels.o && glslc -DINCREMENT %S/Inputs/kernels.comp -o increment.spv
// RUN: hal-link %s --object-path=. -o a.so
// RUN: hal-run a.so --device=vulkan --fallback=cpu --device-debug --input=4xf32=1,2,3,4 --input=f32=0.5 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: hal-run a.so --device=vulkan --fallback=cpu --threads=1 -q --function=constant --input=f32=0.5 | FileCheck %s --check-prefix=CONSTANT
// RUN: exits 3 hal-run a.so --device=vulkan --input=4xf32=1 --input=f32=1 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: exits 3 hal-run a.so --input=4xf32=1 --input=f32=1 2>&1 | FileCheck %s --check-prefix=NO-CPU
// RUN: hal-benchmark a.so --device=vulkan --fallback=cpu --per-executable --runs=2 --min-time=0 --csv=- | FileCheck %s --check-prefix=BENCHMARK
// CHECK: note: 2 executables run on the CPU: `twice`, `add`
// CHECK: output 0: 4xf32
// CHECK-NEXT: [ 5.,  9., 13., 17.]
// CHECK: output 1: 4xf32
// CHECK-NEXT: [2.5, 4.5, 6.5, 8.5]
// CONSTANT: [3.5, 4.5, 5.5, 6.5]
// MISSING: error[missing-variant]: executables `twice`, `add` have no code for device `vulkan:0` ({{.*}})
// MISSING: note: there is variant `cpu`
// MISSING: hint: `--fallback=cpu` runs them on the CPU
// MISSING: hint: translate the program for it, too, as in `--target=cpu,vulkan`
// NO-CPU: error[missing-variant]: executable `increment` has no code for the CPU
// BENCHMARK-DAG: twice_4
// BENCHMARK-DAG: increment_4
// BENCHMARK-DAG: add_n
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
  }
  module @increment attributes {hal.executable} {
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
  }
  func.func private @twice_4(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @twice::@twice_4}
  func.func private @increment_4(tensor<4xf32>, f32) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.entry = @increment::@increment_4}
  func.func private @add_n(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {hal.entry = @add::@add_n}
  func.func @main(%x: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, tensor<4xf32>) {
    %n = arith.constant 4 : index
    %a = call @twice_4(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = call @increment_4(%a, %s) : (tensor<4xf32>, f32) -> tensor<4xf32>
    %d = tensor.cast %b : tensor<4xf32> to tensor<?xf32>
    %c = call @add_n(%d, %d, %n) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
    %r = tensor.cast %c : tensor<?xf32> to tensor<4xf32>
    return %r, %b : tensor<4xf32>, tensor<4xf32>
  }
  func.func @constant(%s: f32) -> tensor<4xf32> {
    %n = arith.constant 4 : index
    %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %two = arith.constant dense<2.0> : tensor<4xf32>
    %d = tensor.cast %k : tensor<4xf32> to tensor<?xf32>
    %e = tensor.cast %two : tensor<4xf32> to tensor<?xf32>
    %c = call @add_n(%d, %e, %n) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
    %r = tensor.cast %c : tensor<?xf32> to tensor<4xf32>
    %b = call @increment_4(%r, %s) : (tensor<4xf32>, f32) -> tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
