// Few results of long sums are divided among the warps of a workgroup, on tensor cores, too, whether or not slices are whole.
// No GPU: the fake driver interprets the PTX, and finds races (Inputs/fake/README.md).
// RUN: hal-import %s -o %t.mlirbc
// RUN: hal-translate --target=cuda:sm_90 --explain=schedule %t.mlirbc -o %t.cuda.mlirbc 2>&1 | FileCheck %s
// CHECK: @few{{.*}} for cuda:sm_90:
// CHECK: family = "product", {{.*}}k_slices = {{[248]}}, {{.*}}tensor_cores = true
// CHECK: @odd{{.*}} for cuda:sm_90:
// CHECK: family = "product", {{.*}}k_slices = {{[248]}}, {{.*}}tensor_cores = true
// RUN: hal-translate --target=cpu,cuda:sm_90 %t.mlirbc | hal-link -o %t.so
// RUN: hal-run %t.so --function=few --input=33x1024xf16=random:1 --input=1024x40xf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=few --input=33x1024xf16=random:1 --input=1024x40xf16=random:2 --expect=@%t.npy
// RUN: hal-run %t.so --function=odd --input=33x1001xf16=random:1 --input=1001x40xf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=odd --input=33x1001xf16=random:1 --input=1001x40xf16=random:2 --expect=@%t.npy

func.func @few(%a: tensor<33x1024xf16>, %b: tensor<1024x40xf16>) -> tensor<33x40xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<33x40xf32>) -> tensor<33x40xf32>
  %r = linalg.matmul ins(%a, %b : tensor<33x1024xf16>, tensor<1024x40xf16>) outs(%f : tensor<33x40xf32>) -> tensor<33x40xf32>
  return %r : tensor<33x40xf32>
}
func.func @odd(%a: tensor<33x1001xf16>, %b: tensor<1001x40xf16>) -> tensor<33x40xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<33x40xf32>) -> tensor<33x40xf32>
  %r = linalg.matmul ins(%a, %b : tensor<33x1001xf16>, tensor<1001x40xf16>) outs(%f : tensor<33x40xf32>) -> tensor<33x40xf32>
  return %r : tensor<33x40xf32>
}
