// Attention in one kernel: a workgroup has some rows, whose scores, maxima and sums are kept in shared memory, each computed once; rows that are
// masked as a whole are what IEEE makes of them. No GPU: the fake driver interprets the PTX and finds races (Inputs/fake/README.md).
// RUN: hal-import %s -o %t.mlirbc
// RUN: hal-translate --target=cpu,cuda:sm_80 --explain %t.mlirbc -o %t.objects.mlirbc 2>&1 | FileCheck %s
// CHECK: rows of 2 x 24 x 16, 8 at a time, 3 inner sums of a row in shared memory, 2 products in tiles, 6 workgroups of 64 threads
// RUN: hal-translate --target=cuda:sm_80 --emit=ptx --executable=attention_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=PTX --implicit-check-not=.local
// PTX: .shared .align
// PTX: bar.sync
// PTX: shfl.sync.bfly
// PTX: fma.rn.f32
// RUN: hal-link %t.objects.mlirbc -o %t.so
// RUN: hal-run %t.so --function=attention --input=2x24x16xf32=random:1 --input=2x40x16xf32=random:2 --input=2x40x16xf32=random:3 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=attention --input=2x24x16xf32=random:1 --input=2x40x16xf32=random:2 --input=2x40x16xf32=random:3 --expect=@%t.npy --rtol=1e-4 --atol=1e-5

#q = affine_map<(b, i, j, k) -> (b, i, k)>
#k = affine_map<(b, i, j, k) -> (b, j, k)>
#s = affine_map<(b, i, j, k) -> (b, i, j)>
#all = affine_map<(b, i, j) -> (b, i, j)>
func.func @attention(%q: tensor<2x24x16xf32>, %k: tensor<2x40x16xf32>, %v: tensor<2x40x16xf32>) -> tensor<2x24x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x24x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x24x16xf32>, tensor<2x40x16xf32>) outs(%z : tensor<2x24x40xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x24x40xf32>
  // Row i sees the keys below i; row 0 sees none.
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) {
  ^bb0(%a: f32, %c: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi slt, %j, %i : index
    %none = arith.constant 0xFF800000 : f32
    %t = arith.select %seen, %a, %none : f32
    linalg.yield %t : f32
  } -> tensor<2x24x40xf32>
  %w = linalg.softmax dimension(2) ins(%m : tensor<2x24x40xf32>) outs(%e : tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
  %eo = tensor.empty() : tensor<2x24x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  %r = linalg.batch_matmul ins(%w, %v : tensor<2x24x40xf32>, tensor<2x40x16xf32>) outs(%zo : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  return %r : tensor<2x24x16xf32>
}
