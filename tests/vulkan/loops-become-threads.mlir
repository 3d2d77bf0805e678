// Loops of blocks are workgroups of Vulkan, a loop of threads in them its threads; a grid without threads is reported as slow.
// REQUIRES: vulkan
// RUN: rm -rf %t && mkdir %t && cd %t && hal-import %s -o p.mlir && hal-translate p.mlir | hal-link -o own.so
// RUN: hal-run own.so --input=100x70xf32=random:1 --input=70x90xf32=random:2 --output=c.npy
// RUN: hal-opt p.mlir --stage='%S/Inputs/blocks-and-threads.mlir[threads]' -o threads.mlir
// RUN: hal-translate threads.mlir --target=vulkan --explain -o threads.o.mlir 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: FileCheck %s --check-prefix=LAUNCH < threads.o.mlir
// RUN: hal-link threads.o.mlir -o threads.so
// RUN: hal-run threads.so --device=vulkan --device-debug --input=100x70xf32=random:1 --input=70x90xf32=random:2 --expect=@c.npy --rtol=1e-4 --atol=1e-5
// RUN: hal-opt p.mlir --stage='%S/Inputs/blocks-and-threads.mlir[blocks]' | hal-translate --target=vulkan -o blocks.o.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: hal-link blocks.o.mlir -o blocks.so
// RUN: hal-run blocks.so --device=vulkan --device-debug --input=100x70xf32=random:1 --input=70x90xf32=random:2 --expect=@c.npy --rtol=1e-4 --atol=1e-5
// RUN: hal-opt p.mlir --stage='%S/Inputs/blocks-and-threads.mlir[beside]' | hal-translate --target=vulkan -o beside.o.mlir 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: hal-link beside.o.mlir -o beside.so
// RUN: hal-run beside.so --device=vulkan --input=100x70xf32=random:1 --input=70x90xf32=random:2 --expect=@c.npy --rtol=1e-4 --atol=1e-5

// THREADS-NOT: warning[one-thread]
// THREADS: 10 x 9 workgroups of `scf.forall` of 5 x 2 x 1 threads
// LAUNCH: hal.workgroup_size = array<i64: 5, 2, 1>
// LAUNCH: return %c9, %c10, %c1
// BLOCKS: warning[one-thread]: each workgroup of export `@{{.*}}` has one thread, and a GPU is slow with that
// BLOCKS: hint: tile what is inside again, with a loop that is mapped to `#gpu.thread<x>`
// BESIDE: warning[one-thread]: the iterations of a loop of threads run one after another in one thread: `{{.*}}` stands beside it, which one thread does for all
func.func @main(%a: tensor<100x70xf32>, %b: tensor<70x90xf32>) -> tensor<100x90xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<100x90xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<100x90xf32>) -> tensor<100x90xf32>
  %c = linalg.matmul ins(%a, %b : tensor<100x70xf32>, tensor<70x90xf32>) outs(%zeros : tensor<100x90xf32>) -> tensor<100x90xf32>
  return %c : tensor<100x90xf32>
}
