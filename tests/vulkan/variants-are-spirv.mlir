// An executable becomes SPIR-V for Vulkan: a kernel of its name, checked, beside the object for the CPU.
// RUN: hal-translate %s --target=cpu,vulkan --explain 2>%t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t.said
// RUN: hal-translate %s --target=vulkan --emit=spvasm | FileCheck %s --check-prefix=TEXT
// RUN: hal-translate %s --target=vulkan --emit=spirv -o %t.spv
// RUN: spirv-val --target-env vulkan1.1 %t.spv
// RUN: hal-translate %s --target=vulkan -O0 --emit=spirv -o %t.plain.spv
// RUN: spirv-val --target-env vulkan1.1 %t.plain.spv
// RUN: hal-translate %s --target=vulkan -O0 --explain -o %t.out 2>&1 | FileCheck %s --check-prefix=PLAIN
// REQUIRES: spirv-tools
// CHECK: module @cpu_
// CHECK: module @vulkan attributes {hal.features = ["Float16", "Int16", "StorageBuffer16BitAccess"], hal.objects = [{data = dense_resource<scale_vulkan>
// CHECK-SAME: format = "spirv"
// CHECK-SAME: hal.target = #spirv.target_env
// CHECK: func.func private @scale
// CHECK-SAME: hal.workgroup_size = array<i64: {{[0-9]+}}, 1, 1>, hal.workgroups = @scale_workgroups
// CHECK: func.func @scale_workgroups(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index)
// SAID: @scale::@scale for vulkan: workgroups of threads
// PLAIN: @scale::@scale for vulkan: plain loops in one thread: not optimised
// TEXT: OpEntryPoint GLCompute %{{[0-9]+}} "scale"
// TEXT: OpDecorate %[[IN:[0-9]+]] Binding 0
// TEXT: OpDecorate %[[OUT:[0-9]+]] Binding 1
// TEXT: OpDecorate %[[IN]] NonWritable
// TEXT-NOT: OpDecorate %[[OUT]] NonWritable
#map = affine_map<(d0) -> (d0)>
func.func @scale(%x: tensor<?xf16>, %s: f16, %n: index) -> (tensor<?xf16> {hal.dims = array<i64: 2>}) {
  %e = tensor.empty(%n) : tensor<?xf16>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<?xf16>) outs(%e : tensor<?xf16>) {
  ^bb0(%v: f16, %o: f16):
    %m = arith.mulf %v, %s : f16
    linalg.yield %m : f16
  } -> tensor<?xf16>
  return %r : tensor<?xf16>
}
