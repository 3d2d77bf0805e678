#i = affine_map<(d0) -> (d0)>
func.func @around(%x: tensor<5xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
  %a = tensor.empty() : tensor<9xf32>
  %r:3 = linalg.generic {indexing_maps = [affine_map<(d0) -> ((d0 - 3) mod 5)>, affine_map<(d0) -> ((d0 - 3) floordiv 2 + 2)>,
          affine_map<(d0) -> ((d0 - 3) ceildiv 2 + 1)>, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %x, %x : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) outs(%a, %a, %a : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32, %p: f32, %q: f32, %s: f32):
    linalg.yield %u, %v, %w : f32, f32, f32
  } -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>)
  return %r#0, %r#1, %r#2 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
}
func.func @divide(%x: tensor<6xi32>, %y: tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) {
  %a = tensor.empty() : tensor<6xi32>
  %r:4 = linalg.generic {indexing_maps = [#i, #i, #i, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<6xi32>, tensor<6xi32>) outs(%a, %a, %a, %a : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) {
  ^bb0(%v: i32, %w: i32, %p: i32, %q: i32, %s: i32, %t: i32):
    %d = arith.divsi %v, %w : i32
    %e = arith.remsi %v, %w : i32
    %f = arith.floordivsi %v, %w : i32
    %g = arith.ceildivsi %v, %w : i32
    linalg.yield %d, %e, %f, %g : i32, i32, i32, i32
  } -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>
}
func.func @bytes(%x: tensor<3xi8>, %y: tensor<3xi8>) -> (tensor<3xi8>, tensor<3xi8>) {
  %d = arith.divsi %x, %y : tensor<3xi8>
  %e = arith.remsi %x, %y : tensor<3xi8>
  return %d, %e : tensor<3xi8>, tensor<3xi8>
}
func.func @longs(%x: tensor<1xi64>, %y: tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>) {
  %d = arith.divsi %x, %y : tensor<1xi64>
  %e = arith.remsi %x, %y : tensor<1xi64>
  return %d, %e : tensor<1xi64>, tensor<1xi64>
}
func.func @host(%x: i32, %y: i32) -> (i32, i32, i32, i32) {
  %d = arith.divsi %x, %y : i32
  %e = arith.remsi %x, %y : i32
  %f = arith.floordivsi %x, %y : i32
  %g = arith.ceildivsi %x, %y : i32
  return %d, %e, %f, %g : i32, i32, i32, i32
}
