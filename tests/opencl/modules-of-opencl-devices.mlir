// Code for OpenCL devices: kernels of workgroups, as SPIR-V modules of LLVM. Nothing runs it yet.
// RUN: hal-import %s -o %t.mlir
// RUN: hal-translate --target=opencl --explain %t.mlir -o %t.objects.mlir 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: _softmax_64x300_f32 for opencl: tiled and vectorised: rows of 64 x 300
// PLAN: for opencl: tiled and vectorised: product, tiles of

// The modules: an entry point with its workgroup, memory of the device and of the workgroup, barriers. No pointer is generic,
// which devices may lack.
// RUN: hal-translate --target=opencl --emit=obj --executable=main_dispatch_0 %t.mlir -o %t.spv
// RUN: spirv-val --target-env opencl2.2 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s --check-prefix=CODE --implicit-check-not=Generic
// CODE: Version: 1.2
// CODE: OpCapability Kernel
// CODE: OpMemoryModel Physical64 OpenCL
// CODE: OpEntryPoint Kernel [[KERNEL:%.*]] "main_dispatch_0_softmax_64x300_f32"
// CODE: OpExecutionMode [[KERNEL]] LocalSize 128 1 1
// CODE: OpExecutionMode [[KERNEL]] ContractionOff
// CODE-DAG: BuiltIn WorkgroupId
// CODE-DAG: BuiltIn LocalInvocationId
// CODE-DAG: OpTypePointer CrossWorkgroup %float
// CODE-DAG: OpTypePointer Workgroup %float
// CODE: OpFunction
// CODE: OpControlBarrier
// RUN: hal-translate --target=opencl --emit=asm --executable=main_dispatch_0 %t.mlir | FileCheck %s --check-prefix=ASM
// ASM: OpEntryPoint Kernel {{.*}} "main_dispatch_0_softmax_64x300_f32"

// Products multiply and add, convolutions too; every module is valid.
// RUN: hal-translate --target=opencl --emit=obj --executable=main_dispatch_1 %t.mlir -o %t.product.spv
// RUN: spirv-val --target-env opencl2.2 %t.product.spv
// RUN: spirv-dis %t.product.spv | FileCheck %s --check-prefix=PRODUCT --implicit-check-not=Generic
// PRODUCT: OpExtInst %float {{.*}} fma
// RUN: hal-translate --target=opencl --emit=obj --executable=main_dispatch_3 %t.mlir -o %t.conv.spv
// RUN: spirv-val --target-env opencl2.2 %t.conv.spv
// RUN: spirv-dis %t.conv.spv | FileCheck %s --check-prefix=CONV --implicit-check-not=Generic
// CONV: OpEntryPoint Kernel {{.*}}_conv_1x32x16x16_f32"

// Index arithmetic that LLVM's combiner of instructions for SPIR-V would mix the widths of.
// RUN: hal-translate --target=opencl --emit=obj --executable=kernel %S/../../common/kernel/tests/golden/winograd-1x64x32x32-f32.mlir -o %t.winograd.spv
// RUN: spirv-val --target-env opencl2.2 %t.winograd.spv

// Plain loops, a workgroup a thread, with OpenCL's functions.
// RUN: hal-translate --target=opencl -O0 --emit=obj --executable=main_dispatch_2 %t.mlir -o %t.plain.spv 2>&1 | count 0
// RUN: spirv-val --target-env opencl2.2 %t.plain.spv
// RUN: spirv-dis %t.plain.spv | FileCheck %s --check-prefix=PLAIN
// PLAIN: OpExecutionMode {{.*}} LocalSize 1 1 1
// PLAIN: OpExtInst %float {{.*}} sin

// What a device may lack.
// RUN: hal-translate --list-targets=opencl | FileCheck %s --check-prefix=LIST
// LIST: {{^}}  Float64{{$}}

// A module is a file that can be extracted, and not given.
// RUN: rm -rf %t.files && hal-extract %t.objects.mlir main_dispatch_0 --as=obj --to=%t.files && cmp %t.spv %t.files/main_dispatch_0.opencl.spv
// RUN: hal-extract %t.objects.mlir main_dispatch_0 --as=asm --to=%t.files && FileCheck %s --check-prefix=ASM --input-file=%t.files/main_dispatch_0.opencl.spvasm
// RUN: not hal-substitute %t.mlir main_dispatch_0=%t.files/main_dispatch_0.opencl.spv --target=opencl -o %t.given.mlir 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: error[wrong-kind]: {{.*}}main_dispatch_0.opencl.spv`: this is a SPIR-V module, which is for Vulkan, and the target is `opencl`

// Nothing runs it, and each tool says so.
// RUN: not hal-link %t.objects.mlir -o %t.so 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: error[unsupported]: variant `opencl` of executable `main_dispatch_0` is for a target that no device runs
// RUN: hal-translate --target=opencl --verify %t.mlir -o %t.verified.mlir 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: executable `@main_dispatch_0` for `opencl` was not verified: nothing runs code for `opencl` yet

// What it cannot do, and mistakes.
// RUN: not hal-translate --target=opencl -O0 --emit=obj --executable=main_dispatch_0 %t.mlir -o %t.heap.spv 2>&1 | FileCheck %s --check-prefix=HEAP
// HEAP: error[unsupported-op]: executable `@main_dispatch_0` for `opencl`: it calls `aligned_alloc`, `free`, which an OpenCL device does not have
// RUN: not hal-translate --target=opencl:gen9 %t.mlir 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error[bad-target]: target `opencl` has no chips, but `gen9` is given
// RUN: not hal-translate --target=opencl,+Float16 %t.mlir 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: error[bad-target]: feature `+Float16` of `opencl`: kernels say what they need of a device
// RUN: not hal-translate --target=spir64 %t.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: hint: did you mean `opencl`?
// RUN: not hal-translate --target=opencl --emit=spirv --executable=main_dispatch_0 %t.mlir 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: error: `--emit=spirv` is for a target `vulkan`, not for `opencl`
func.func @main(%x: tensor<64x300xf32>, %w: tensor<300x512xf32>, %y: tensor<1000xf32>, %image: tensor<1x16x18x18xf32>, %filter: tensor<32x16x3x3xf32>)
    -> (tensor<64x512xf32>, tensor<1000xf32>, tensor<1x32x16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x300xf32>
  %soft = linalg.softmax dimension(1) ins(%x : tensor<64x300xf32>) outs(%empty : tensor<64x300xf32>) -> tensor<64x300xf32>
  %place = tensor.empty() : tensor<64x512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%place : tensor<64x512xf32>) -> tensor<64x512xf32>
  %product = linalg.matmul ins(%soft, %w : tensor<64x300xf32>, tensor<300x512xf32>) outs(%start : tensor<64x512xf32>) -> tensor<64x512xf32>
  %line = tensor.empty() : tensor<1000xf32>
  %sine = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%y : tensor<1000xf32>) outs(%line : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = math.sin %a : f32
    linalg.yield %s : f32
  } -> tensor<1000xf32>
  %area = tensor.empty() : tensor<1x32x16x16xf32>
  %black = linalg.fill ins(%zero : f32) outs(%area : tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32>
  %conv = linalg.conv_2d_nchw_fchw ins(%image, %filter : tensor<1x16x18x18xf32>, tensor<32x16x3x3xf32>) outs(%black : tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32>
  return %product, %sine, %conv : tensor<64x512xf32>, tensor<1000xf32>, tensor<1x32x16x16xf32>
}
