// Products of short floats go through tensor cores and give what the CPU gives; shapes need not fit their tiles.
// No GPU: the fake driver interprets the PTX, mma.sync, ldmatrix and cp.async too (Inputs/fake/README.md).
// RUN: hal-import %s | hal-translate --target=cpu,cuda:sm_80 | hal-link -o %t.so
// RUN: hal-run %t.so --function=fits --input=64x96xf16=random:1 --input=96x64xf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=fits --input=64x96xf16=random:1 --input=96x64xf16=random:2 --expect=@%t.npy
// RUN: hal-run %t.so --function=odd --input=37x50xbf16=random:1 --input=50x41xbf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=odd --input=37x50xbf16=random:1 --input=50x41xbf16=random:2 --expect=@%t.npy
// RUN: hal-import %s | hal-translate --target=cuda --emit=ptx --executable=fits_dispatch_0 | FileCheck %s
// CHECK: ldmatrix.sync.aligned.m8n8
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32

func.func @fits(%a: tensor<64x96xf16>, %b: tensor<96x64xf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x96xf16>, tensor<96x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
func.func @odd(%a: tensor<37x50xbf16>, %b: tensor<50x41xbf16>) -> tensor<37x41xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x41xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<37x41xf32>) -> tensor<37x41xf32>
  %r = linalg.matmul ins(%a, %b : tensor<37x50xbf16>, tensor<50x41xbf16>) outs(%f : tensor<37x41xf32>) -> tensor<37x41xf32>
  return %r : tensor<37x41xf32>
}
