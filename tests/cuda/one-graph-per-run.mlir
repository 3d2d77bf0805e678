// Weights go to the device once; a run that asks for the same as the one before is one graph; buffers are the same ones.
// No GPU: the fake driver (Inputs/fake/README.md) writes what it is asked.
// RUN: hal-import %s | hal-translate --target=cuda:sm_80 | hal-link -o %t.so
// RUN: rm -f %t.log
// RUN: env FAKE_CUDA_LOG=%t.log with-fake-cuda hal-benchmark --device=cuda --runs=4 --min-time=0 --warmup=0 %t.so --input=8x64xf32=random:1
// RUN: FileCheck %s < %t.log
// The weights, once, when the instance is made.
// CHECK: upload 16384
// CHECK-NOT: upload 16384
// First one call after the other,
// CHECK: cuLaunchKernel
// CHECK: cuStreamSynchronize
// CHECK: run main_dispatch_0
// then the same as a graph,
// CHECK: cuStreamBeginCapture_v2
// CHECK: cuStreamEndCapture
// CHECK: cuGraphLaunch
// and from then on one launch for a run, without new memory.
// CHECK-NOT: cuMemAlloc_v2
// CHECK-NOT: cuLaunchKernel
// CHECK: cuGraphLaunch
// CHECK-NOT: cuMemAlloc_v2
// CHECK-NOT: cuLaunchKernel
// CHECK: cuGraphLaunch

func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = arith.constant dense<0.25> : tensor<64x64xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %m = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %n = linalg.matmul ins(%m, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %n : tensor<8x64xf32>
}
