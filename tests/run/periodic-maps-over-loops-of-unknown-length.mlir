// An index that repeats itself over two loops of unknown length is checked by the elements that a run reads, not by all that its
// remainder could be: 2, 0 and 4 for one iteration of d1, but 5 for two.
// RUN: hal-compile %s -o %t.so
// RUN: hal-run %t.so --input=5xf32=1,2,3,4,5 --input=4xf32=0,0,0,0 --input=1xf32=0 --expect=4xf32=1,3,5,1
// RUN: not hal-run %t.so --input=5xf32=1,2,3,4,5 --input=4xf32=0,0,0,0 --input=2xf32=0,0 2>&1 | FileCheck %s
// RUN: hal-run %t.so --input=6xf32=1,2,3,4,5,6 --input=4xf32=0,0,0,0 --input=2xf32=0,0 --expect=4xf32=3,7,11,3
// CHECK: error[assertion-failed]: `linalg.generic` of `@f`, line {{[0-9]+}}: indices of dimension 0 of operand 0 reach 5, beyond its size 5
func.func @f(%x: tensor<?xf32>, %rows: tensor<?xf32>, %steps: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ((d1 + d0 * 2) mod 6)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %steps : tensor<?xf32>, tensor<?xf32>) outs(%rows : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
