// All: refused, results that are laid out differently.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @kernel(%arg0: tensor<2x3xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x3xf32>) attributes {hal.export} {
    %c0 = arith.constant 0 : index
    %0:2 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<2x3xf32>) outs(%arg1, %arg2 : tensor<2xf32>, tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32, %out_0: f32):
      %1 = arith.addf %out, %in : f32
      %2 = linalg.index 1 : index
      %3 = arith.cmpi eq, %2, %c0 : index
      %4 = arith.select %3, %out_0, %1 : f32
      linalg.yield %1, %4 : f32, f32
    } -> (tensor<2xf32>, tensor<2x3xf32>)
    return %0#0, %0#1 : tensor<2xf32>, tensor<2x3xf32>
  }
}
