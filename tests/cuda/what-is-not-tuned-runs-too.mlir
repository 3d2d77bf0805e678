// What is not optimised, or not known to the emitter for GPUs, goes the way of CPUs and runs in blocks of one thread; memory comes from the
// device's heap. No GPU: the fake driver interprets the PTX (Inputs/fake/README.md).
// RUN: hal-import %s -o %t.mlirbc
// RUN: hal-translate -O0 --explain --target=cpu,cuda:sm_80 %t.mlirbc -o %t.objects.mlirbc 2>&1 | FileCheck %s
// CHECK: for cuda:sm_80: plain loops in one workgroup: not optimised; blocks of one thread
// RUN: hal-link %t.objects.mlirbc -o %t.so
// RUN: hal-run %t.so --input=37x50xf32=random:1 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --input=37x50xf32=random:1 --expect=@%t.npy

func.func @main(%a: tensor<37x50xf32>) -> tensor<37x50xf32> {
  %e = tensor.empty() : tensor<37x50xf32>
  %s = linalg.softmax dimension(1) ins(%a : tensor<37x50xf32>) outs(%e : tensor<37x50xf32>) -> tensor<37x50xf32>
  %r = math.asinh %s : tensor<37x50xf32>
  return %r : tensor<37x50xf32>
}
