// A result whose body reads what another one has so far, also in a branch, is computed with it: sums and running sums.
// RUN: hal-compile -q %s -O3 -o %t.so
// RUN: hal-run -q %t.so --input=2x3xf32=1,2,3,-1,5,-6 --input=2xf32=10,20 --input=2x3xf32=0 --expect=2xf32=16,18 --expect=2x3xf32=0,13,16,0,24,18
// RUN: hal-compile -q %s -O0 -o %t.so
// RUN: hal-run -q %t.so --input=2x3xf32=1,2,3,-1,5,-6 --input=2xf32=10,20 --input=2x3xf32=0 --expect=2xf32=16,18 --expect=2x3xf32=0,13,16,0,24,18
#in = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<2x3xf32>, %s: tensor<2xf32>, %r: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x3xf32>) {
  %c0 = arith.constant 0 : index
  %y:2 = linalg.generic {indexing_maps = [#in, #row, #in], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x3xf32>) outs(%s, %r : tensor<2xf32>, tensor<2x3xf32>) {
  ^bb0(%a: f32, %sum: f32, %running: f32):
    %next = arith.addf %sum, %a : f32
    %i = linalg.index 1 : index
    %first = arith.cmpi eq, %i, %c0 : index
    %shown = scf.if %first -> f32 {
      scf.yield %running : f32
    } else {
      %now = arith.addf %sum, %a : f32
      scf.yield %now : f32
    }
    linalg.yield %next, %shown : f32, f32
  } -> (tensor<2xf32>, tensor<2x3xf32>)
  return %y#0, %y#1 : tensor<2xf32>, tensor<2x3xf32>
}
