// Dispatches that do not need each other overlap on several threads; results are those of one thread, bit for bit.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run %t.so --threads=1 --input=random:3:0:1 -o %t.npy
// RUN: hal-run %t.so --threads=2 --input=random:3:0:1 --expect=@%t.npy --rtol=0 --atol=0
// RUN: hal-run %t.so --threads=3 --input=random:3:0:1 --expect=@%t.npy --rtol=0 --atol=0
// More threads than any machine that this runs on has CPUs for.
// RUN: hal-run %t.so --threads=200 --input=random:3:0:1 --expect=@%t.npy --rtol=0 --atol=0
// More than the system can start.
// RUN: exits 3 hal-run %t.so --threads=100000 --input=random:3:0:1 2>&1 | FileCheck %s
// CHECK: error: cannot start 100000 threads: at most 4096 are supported
// CHECK-NEXT: hint: use fewer `--threads`
// Two branches of matrix products that meet, and a third that is small.
func.func @main(%x: tensor<192x192xf32>) -> tensor<192x192xf32> {
  %zero = arith.constant 0.0 : f32
  %small = arith.constant 0.01 : f32
  %e = tensor.empty() : tensor<192x192xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<192x192xf32>) -> tensor<192x192xf32>
  %s = linalg.fill ins(%small : f32) outs(%e : tensor<192x192xf32>) -> tensor<192x192xf32>
  %x2 = arith.mulf %x, %s : tensor<192x192xf32>
  %a = linalg.matmul ins(%x, %x2 : tensor<192x192xf32>, tensor<192x192xf32>) outs(%z : tensor<192x192xf32>) -> tensor<192x192xf32>
  %b = linalg.matmul ins(%x2, %x : tensor<192x192xf32>, tensor<192x192xf32>) outs(%z : tensor<192x192xf32>) -> tensor<192x192xf32>
  %c = linalg.matmul ins(%x2, %x2 : tensor<192x192xf32>, tensor<192x192xf32>) outs(%z : tensor<192x192xf32>) -> tensor<192x192xf32>
  %aa = linalg.matmul ins(%a, %x2 : tensor<192x192xf32>, tensor<192x192xf32>) outs(%z : tensor<192x192xf32>) -> tensor<192x192xf32>
  %bc = linalg.matmul ins(%b, %c : tensor<192x192xf32>, tensor<192x192xf32>) outs(%z : tensor<192x192xf32>) -> tensor<192x192xf32>
  %sum = arith.addf %aa, %bc : tensor<192x192xf32>
  %r = linalg.matmul ins(%sum, %a : tensor<192x192xf32>, tensor<192x192xf32>) outs(%z : tensor<192x192xf32>) -> tensor<192x192xf32>
  return %r : tensor<192x192xf32>
}
