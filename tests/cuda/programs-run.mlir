// A program for CPU and CUDA gives the same results on both. No GPU: the fake driver interprets the PTX (Inputs/fake/README.md).
// RUN: hal-import %s | hal-translate --target=cpu,cuda:sm_90 | hal-link -o %t.so
// RUN: hal-run --list %t.so | FileCheck %s --check-prefix=LIST
// LIST: mlp_dispatch_0{{.*}}; also cuda_sm_90)
// RUN: hal-run %t.so --function=mlp --input=5x24xf32=random:1 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=mlp --input=5x24xf32=random:1 --expect=@%t.npy
// RUN: hal-run %t.so --function=dynamic --input=7x3xf32=random:1 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda:0 %t.so --function=dynamic --input=7x3xf32=random:1 --expect=@%t.npy

// Dispatches are measured by events of the device.
// RUN: with-fake-cuda hal-benchmark --device=cuda --per-executable --runs=2 --min-time=0 --warmup=0 %t.so --function=mlp --input=5x24xf32=random:1 --json=- | FileCheck %s --check-prefix=TIME
// TIME: mlp_dispatch_0

// Without code for the device there is an error, or the CPU runs the kernel.
// RUN: hal-import %s | hal-translate --target=cpu | hal-link -o %t.cpu.so
// RUN: not with-fake-cuda hal-run --device=cuda %t.cpu.so --function=mlp --input=5x24xf32=random:1 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: --target=
// RUN: hal-run %t.so --function=mlp --input=5x24xf32=random:1 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda --fallback=cpu %t.cpu.so --function=mlp --input=5x24xf32=random:1 --expect=@%t.npy

func.func @mlp(%x: tensor<5x24xf32>) -> tensor<5x16xf32> {
  %w = arith.constant dense<0.25> : tensor<24x16xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x16xf32>) -> tensor<5x16xf32>
  %m = linalg.matmul ins(%x, %w : tensor<5x24xf32>, tensor<24x16xf32>) outs(%f : tensor<5x16xf32>) -> tensor<5x16xf32>
  %s = linalg.softmax dimension(1) ins(%m : tensor<5x16xf32>) outs(%e : tensor<5x16xf32>) -> tensor<5x16xf32>
  return %s : tensor<5x16xf32>
}

func.func @dynamic(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %r = math.tanh %x : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
