// Objects for GPUs that are missing, damaged, for another device or without the kernel are refused by the import.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: glslc --target-env=vulkan1.1 -fshader-stage=compute scale.glsl -o scale.spv
// RUN: sed s/local_size_x/local_size_y/ scale.glsl | glslc --target-env=vulkan1.1 -fshader-stage=compute - -o tall.spv
// RUN: sed 's/float s/float s, t/' scale.glsl | glslc --target-env=vulkan1.1 -fshader-stage=compute - -o push.spv
// RUN: sed 's/float x/double x/; s/x\[i\]/float(x[i])/' scale.glsl | glslc --target-env=vulkan1.1 -fshader-stage=compute - -o double.spv
// RUN: echo rubbish > rubbish.spv && head -c 602 scale.spv > cut.spv && sed 's/sm_80/sm_90/' scale.ptx > new.ptx && clang -O2 -fPIC -I%include -c scale.c -o scale.o

// What fits is taken: from the objects alone, with targets, by name.
// RUN: sed 's/WHICH/{path = "scale.spv"}, {path = "scale.ptx", workgroup_size = array<i64: 64, 1, 1>}, {path = "scale.o"}/' model.mlir | hal-import | FileCheck %s --check-prefix=ALL
// ALL: module @vulkan attributes {hal.features = [], hal.objects = [{data = {{.*}}, format = "spirv"
// ALL-NEXT: func.func private @scale({{.*}}hal.workgroup_size = array<i64: 64, 1, 1>, hal.workgroups
// ALL: module @cuda_sm_80 attributes {hal.features = ["sm_80"], hal.objects = [{data = {{.*}}, format = "ptx"
// ALL-NEXT: func.func private @scale({{.*}}hal.workgroup_size = array<i64: 64, 1, 1>, hal.workgroups
// ALL: module @cpu_x86_64
// ALL-NEXT: func.func private @scale
// ALL-NOT: hal.workgroup_size
// RUN: sed 's/WHICH/{path = "scale.ptx", target = #nvvm.target<chip = "sm_90">, workgroup_size = array<i64: 32, 2, 1>, shared_memory = 256 : i64, workgroups = array<i64: 2>}/' model.mlir | hal-import | FileCheck %s --check-prefix=OWN
// OWN: module @cuda_sm_90 attributes {hal.features = ["sm_80"]
// OWN-NEXT: func.func private @scale({{.*}}hal.shared_memory = 256 : i64, hal.workgroup_size = array<i64: 32, 2, 1>
// OWN: arith.constant 2 : index
// RUN: sed 's/WHICH/{path = "double.spv"}/; s/(tensor<8xf32>, f32)/(tensor<8xf64>, f32)/; s/: tensor<8xf32>, %%s/: tensor<8xf64>, %%s/' model.mlir | hal-import | FileCheck %s --check-prefix=FEATURES
// FEATURES: module @vulkan attributes {hal.features = ["Float64"]

// RUN: sed 's/WHICH/{path = "rubbish.spv", target = #spirv.target_env<#spirv.vce<v1.3, [Shader], []>, api=Vulkan, #spirv.resource_limits<>>}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=RUBBISH
// RUBBISH: error[wrong-kind]: object `rubbish.spv` of `@scale`: this is text of an unknown kind, and the target is `vulkan,
// RUBBISH: {{[0-9]+}} | func.func private @scale
// RUN: sed 's/WHICH/{path = "cut.spv"}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error[bad-object]: object `cut.spv` of `@scale`: the SPIR-V module is damaged: it has 602 bytes, which are no whole words
// RUN: sed 's/WHICH/{path = "push.spv"}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=PUSH
// PUSH: error[wrong-signature]: object `push.spv` of `@scale`: entry point `scale` has 8 bytes of push constants; the kernel passes 4: argument 1 (`f32`)
// RUN: sed 's/WHICH/{path = "double.spv"}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error[wrong-signature]: object `double.spv` of `@scale`: entry point `scale` has numbers of type `f64` at binding 0 (`X`); argument 0 has `f32`
// RUN: sed 's/WHICH/{path = "double.spv", target = #spirv.target_env<#spirv.vce<v1.3, [Shader], []>, api=Vulkan, #spirv.resource_limits<>>}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=CAPABILITY
// CAPABILITY: error[wrong-architecture]: object `double.spv` of `@scale`: it needs `Float64`, which `vulkan,
// RUN: sed 's/WHICH/{path = "scale.spv", workgroup_size = array<i64: 32, 1, 1>}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error[wrong-signature]: object `scale.spv` of `@scale`: entry point `scale` has workgroups of 64 × 1 × 1 threads, 32 × 1 × 1 are declared
// RUN: sed 's/WHICH/{path = "scale.ptx"}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=UNSIZED
// UNSIZED: error[wrong-signature]: object `scale.ptx` of `@scale`: kernel `scale` does not declare its block size
// UNSIZED: hint: set it: `--workgroup-size=NAME=X,Y,Z`, or `hal.workgroup_size` in a declaration
// RUN: sed 's/WHICH/{path = "new.ptx", target = #nvvm.target<chip = "sm_80">, workgroup_size = array<i64: 64, 1, 1>}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=NEWER
// NEWER: error[wrong-architecture]: object `new.ptx` of `@scale`: it is for `sm_90` and does not run on `cuda:sm_80`
// RUN: sed 's/WHICH/{path = "scale.ptx", target = #nvvm.target<chip = "sm_80">, workgroup_size = array<i64: 64, 0, 1>}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: `@scale`: `hal.workgroup_size` is `array<i64: 64, 0, 1>`, not three positive numbers
// RUN: sed 's/WHICH/{path = "scale.spv", target = #nvvm.target<chip = "sm_80">}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error[wrong-kind]: object `scale.spv` of `@scale`: this is a SPIR-V module, and the target is `cuda:sm_80`
// RUN: sed 's/WHICH/{path = "scale.glsl", target = #spirv.target_env<#spirv.vce<v1.3, [Shader], []>, api=Vulkan, #spirv.resource_limits<>>}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=GLSL
// GLSL: hint: compile it: `glslc --target-env=vulkan1.1
// RUN: sed 's/WHICH/{path = "scale.spv", spec_constants = {tile = 4 : i32}}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=SPEC
// SPEC: error[unknown-constant]: object `scale.spv` of `@scale`: there is no specialisation constant `tile`
// RUN: sed 's/WHICH/{path = "scale.spv"}, {path = "scale.spv"}/' model.mlir | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error[bad-declaration]: kernel `@scale` has two entries for the target `#spirv.target_env
// REQUIRES: glslc, x86
//--- model.mlir
func.func private @scale(tensor<8xf32>, f32) -> tensor<8xf32> attributes {
  hal.objects = [WHICH],
  hal.workgroups = array<i64: 1>}
func.func @main(%x: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  %0 = call @scale(%x, %s) : (tensor<8xf32>, f32) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
//--- scale.glsl
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Y { float y[]; };
layout(push_constant, std430) uniform P { float s; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < 8) y[i] = x[i] * s; }
//--- scale.c
#include <halyard/kernel.h>
void scale(const float *x, float *y, int64_t s, const hal_workgroup_t *wg) {}
//--- scale.ptx
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p0, .param .u64 p1, .param .u64 p2)
{
  ret;
}
