// Large products take large tiles; sizes that these do not divide are right, and no thread races with another one.
// No GPU: the fake driver interprets the PTX (Inputs/fake/README.md).
// RUN: hal-import %s | hal-translate --target=cpu,cuda:sm_90 --explain 2>%t.explain | hal-link -o %t.so
// RUN: FileCheck %s < %t.explain
// CHECK-DAG: @half{{.*}} for cuda:sm_90: {{.*}}tensor cores, tiles of 128 x 128
// CHECK-DAG: @wide{{.*}} for cuda:sm_90: {{.*}}tensor cores, tiles of 128 x 256 in shared memory, 32 steps deep, {{.*}}4 strips at a time
// CHECK-DAG: @single{{.*}} for cuda:sm_90: {{.*}}product, tiles of 128 x 128
// RUN: hal-run %t.so --function=half --input=2047x70xf16=random:1 --input=70x2001xf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=half --input=2047x70xf16=random:1 --input=70x2001xf16=random:2 --expect=@%t.npy
// RUN: hal-run %t.so --function=single --input=2047x19xf32=random:1 --input=19x2001xf32=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=single --input=2047x19xf32=random:1 --input=19x2001xf32=random:2 --expect=@%t.npy
// RUN: hal-run %t.so --function=wide --input=1500x72xf16=random:1 --input=72x2808xf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=wide --input=1500x72xf16=random:1 --input=72x2808xf16=random:2 --expect=@%t.npy --rtol=1e-4

func.func @half(%a: tensor<2047x70xf16>, %b: tensor<70x2001xf16>) -> tensor<2047x2001xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2047x2001xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2047x2001xf32>) -> tensor<2047x2001xf32>
  %r = linalg.matmul ins(%a, %b : tensor<2047x70xf16>, tensor<70x2001xf16>) outs(%f : tensor<2047x2001xf32>) -> tensor<2047x2001xf32>
  return %r : tensor<2047x2001xf32>
}
func.func @single(%a: tensor<2047x19xf32>, %b: tensor<19x2001xf32>) -> tensor<2047x2001xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2047x2001xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2047x2001xf32>) -> tensor<2047x2001xf32>
  %r = linalg.matmul ins(%a, %b : tensor<2047x19xf32>, tensor<19x2001xf32>) outs(%f : tensor<2047x2001xf32>) -> tensor<2047x2001xf32>
  return %r : tensor<2047x2001xf32>
}
func.func @wide(%a: tensor<1500x72xf16>, %b: tensor<72x2808xf16>) -> tensor<1500x2808xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1500x2808xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1500x2808xf32>) -> tensor<1500x2808xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1500x72xf16>, tensor<72x2808xf16>) outs(%f : tensor<1500x2808xf32>) -> tensor<1500x2808xf32>
  return %r : tensor<1500x2808xf32>
}
