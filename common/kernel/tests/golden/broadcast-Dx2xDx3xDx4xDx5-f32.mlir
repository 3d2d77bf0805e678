// CPUs: elementwise. GPUs: elements, one per thread.
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d3, d5, d7)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4, d5, d6, d7)>
module {
  func.func @kernel(%arg0: tensor<2x3x4x5xf32>, %arg1: index, %arg2: index, %arg3: index, %arg4: index) -> (tensor<?x2x?x3x?x4x?x5xf32> {hal.dims = array<i64: 1, 2, 3, 4>}) attributes {hal.export} {
    %0 = tensor.empty(%arg1, %arg2, %arg3, %arg4) : tensor<?x2x?x3x?x4x?x5xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x3x4x5xf32>) outs(%0 : tensor<?x2x?x3x?x4x?x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x2x?x3x?x4x?x5xf32>
    return %1 : tensor<?x2x?x3x?x4x?x5xf32>
  }
}
