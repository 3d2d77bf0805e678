// A device runs the most demanding variant that it can; what it lacks is named, kernels without code for it are, too.
// REQUIRES: glslc
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c -I%include %S/../link/Inputs/kernels.c -o kernels.o && glslc -DTWICE %S/Inputs/kernels.comp -o twice.spv
// RUN: hal-link %s --object-path=. -o gpu.so && hal-run gpu.so --device=vulkan --input=4xf32=1 | FileCheck %s --check-prefix=TWICE
// RUN: exits 3 hal-run gpu.so --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=NO-CPU
// RUN: sed 's/"Int8"/"CooperativeMatrixKHR"/' %s | hal-link --object-path=. -o more.so && exits 3 hal-run more.so --device=vulkan --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: hal-run gpu.so --list | FileCheck %s --check-prefix=LIST
// TWICE: [2., 2., 2., 2.]
// NO-CPU: error[missing-variant]: executable `twice` has no code for the CPU
// NO-CPU: note: there is variant `vulkan`
// NO-CPU: hint: `--device=vulkan` runs it where it has code for
// NO-CPU: hint: translate the program for it, too, as in `--target=cpu,vulkan`
// LACKS: error[missing-features]: device `vulkan:0` ({{.*}}) cannot run executable `twice`: it lacks features of every variant
// LACKS: note: variant `vulkan` needs `CooperativeMatrixKHR`
// LACKS: hint: `--fallback=cpu` runs what the device cannot on the CPU
// LIST: twice_4 (vulkan): 2 bindings, 0 constants
#vulkan = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, api=Vulkan, #spirv.resource_limits<>>
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @twice attributes {hal.executable} {
    module @vulkan attributes {hal.variant, hal.target = #vulkan, hal.features = ["Int8"], hal.objects = [{format = "spirv", path = "twice.spv"}]} {
      func.func private @twice_4(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.workgroups = @n, hal.workgroup_size = array<i64: 4, 1, 1>}
      func.func private @n() -> (index, index, index) {
        %1 = arith.constant 1 : index
        return %1, %1, %1 : index, index, index
      }
    }
  }
  func.func private @twice_4(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @twice::@twice_4}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = call @twice_4(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a : tensor<4xf32>
  }
}
