#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#all = affine_map<(d0, d1) -> ()>
func.func @turned(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  %a = tensor.empty() : tensor<2x3xf32>
  %b = tensor.empty() : tensor<3x2xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #turned], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x3xf32>) outs(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>) {
  ^bb0(%v: f32, %p: f32, %q: f32):
    %n = arith.negf %v : f32
    linalg.yield %v, %n : f32, f32
  } -> (tensor<2x3xf32>, tensor<3x2xf32>)
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<3x2xf32>
}
func.func @partial(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<2xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #rows, #columns], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x3xf32>) outs(%zeros, %ones : tensor<2xf32>, tensor<3xf32>) {
  ^bb0(%v: f32, %p: f32, %q: f32):
    %n = arith.addf %v, %p : f32
    %m = arith.mulf %v, %q : f32
    linalg.yield %n, %m : f32, f32
  } -> (tensor<2xf32>, tensor<3xf32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<3xf32>
}
// The second result is there before the operation; the last one is the largest of all.
func.func @sums(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) {
  %zeros = arith.constant dense<0.0> : tensor<2xf32>
  %ones = arith.constant dense<1.0> : tensor<3x2xf32>
  %least = arith.constant dense<0.0> : tensor<f32>
  %r:3 = linalg.generic {indexing_maps = [#id, #rows, #turned, #all], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x3xf32>) outs(%zeros, %ones, %least : tensor<2xf32>, tensor<3x2xf32>, tensor<f32>) {
  ^bb0(%v: f32, %p: f32, %q: f32, %l: f32):
    %n = arith.addf %v, %p : f32
    %m = arith.addf %v, %q : f32
    %k = arith.maximumf %v, %l : f32
    linalg.yield %n, %m, %k : f32, f32, f32
  } -> (tensor<2xf32>, tensor<3x2xf32>, tensor<f32>)
  return %r#0, %r#1, %r#2 : tensor<2xf32>, tensor<3x2xf32>, tensor<f32>
}
// A constant index writes one place; the others stay.
func.func @one_place(%x: tensor<3xf32>) -> tensor<3x2xf32> {
  %sevens = arith.constant dense<7.0> : tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, 0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%sevens : tensor<3x2xf32>) {
  ^bb0(%v: f32, %p: f32):
    linalg.yield %v : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
// What does not look at what stood there leaves the last one.
func.func @last(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x3xf32>) outs(%zeros : tensor<2xf32>) {
  ^bb0(%v: f32, %p: f32):
    linalg.yield %v : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
// One iteration of a loop writes one place.
func.func @one_iteration(%x: tensor<1xf32>, %y: tensor<1xi8>) -> (tensor<3xf32>, tensor<3xi8>) {
  %sevens = arith.constant dense<7.0> : tensor<3xf32>
  %ones = arith.constant dense<1> : tensor<3xi8>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0 + 2)>], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<1xf32>, tensor<1xi8>) outs(%sevens, %ones : tensor<3xf32>, tensor<3xi8>) {
  ^bb0(%v: f32, %w: i8, %p: f32, %q: i8):
    linalg.yield %v, %w : f32, i8
  } -> (tensor<3xf32>, tensor<3xi8>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi8>
}
