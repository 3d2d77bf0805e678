// Code for AMD GPUs: kernels of workgroups, as objects of LLVM that a linker makes loadable. Nothing runs it yet.
// RUN: hal-import %s -o %t.mlir
// RUN: hal-translate --target=hip --explain %t.mlir -o %t.objects.mlir 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: _softmax_64x300_f32 for hip:gfx90a: tiled and vectorised: rows of 64 x 300
// PLAN: for hip:gfx90a: tiled and vectorised: product, tiles of

// The objects: instructions, the size of workgroups, symbols that a driver looks for.
// RUN: hal-translate --target=hip --emit=obj --executable=main_dispatch_0 %t.mlir -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=CODE
// CODE: file format elf64-amdgpu
// CODE: main_dispatch_0_softmax_64x300_f32>:
// CODE-DAG: ds_bpermute_b32
// CODE-DAG: s_barrier
// CODE: s_endpgm
// RUN: llvm-readelf --notes %t.o | FileCheck %s --check-prefix=NOTES
// NOTES: .max_flat_workgroup_size: 128
// NOTES: .name: {{.*}}main_dispatch_0_softmax_64x300_f32
// NOTES: .reqd_workgroup_size
// NOTES: amdhsa.target: amdgcn-amd-amdhsa--gfx90a
// RUN: ld.lld -shared %t.o -o %t.hsaco
// RUN: llvm-readelf --dyn-symbols %t.hsaco | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS-DAG: FUNC {{.*}} main_dispatch_0_softmax_64x300_f32
// SYMBOLS-DAG: OBJECT {{.*}} main_dispatch_0_softmax_64x300_f32.kd

// Wavefronts of 32 lanes need no upper half; products multiply and add.
// RUN: hal-translate --target=hip:gfx1100 --emit=asm --executable=main_dispatch_0 %t.mlir | FileCheck %s --check-prefix=WAVE32 --implicit-check-not=v_mbcnt_hi
// WAVE32: amdgcn-amd-amdhsa--gfx1100
// WAVE32: ds_bpermute_b32
// RUN: hal-translate --target=hip --emit=asm --executable=main_dispatch_1 %t.mlir | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: {{v_(pk_)?fma}}

// Plain loops, a workgroup a thread, with local memory in its own address space and functions of the library.
// RUN: hal-translate --target=hip -O0 --emit=obj --executable=main_dispatch_2 %t.mlir -o %t.plain.o 2>&1 | count 0
// RUN: llvm-objdump -d %t.plain.o | FileCheck %s --check-prefix=PLAIN
// PLAIN: main_dispatch_2_elementwise_sin_1000_f32>:

// Nothing runs it, and each tool says so.
// RUN: not hal-link %t.objects.mlir -o %t.so 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: error[unsupported]: variant `hip_gfx90a` of executable `main_dispatch_0` is for a target that no device runs
// RUN: hal-translate --target=hip --verify %t.mlir -o %t.verified.mlir 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: executable `@main_dispatch_0` for `hip:gfx90a` was not verified: nothing runs code for `hip` yet

// Mistakes.
// RUN: not hal-translate --target=hip:gfx9 %t.mlir 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error[bad-target]: unknown chip `gfx9` of `hip`
// CHIP: hint: did you mean `gfx900`
// RUN: not hal-translate --target=gfx90a %t.mlir 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: hint: write `hip:gfx90a`
// RUN: not hal-translate --target=rocm %t.mlir 2>&1 | FileCheck %s --check-prefix=ROCM
// ROCM: hint: did you mean `hip`?
// RUN: not hal-translate --target=hip --emit=ptx --executable=main_dispatch_0 %t.mlir 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: error: `--emit=ptx` is for a target `cuda`, not for `hip:gfx90a`
func.func @main(%x: tensor<64x300xf32>, %w: tensor<300x512xf32>, %y: tensor<1000xf32>) -> (tensor<64x512xf32>, tensor<1000xf32>) {
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
  return %product, %sine : tensor<64x512xf32>, tensor<1000xf32>
}
