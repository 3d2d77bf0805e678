// CPUs: elementwise. GPUs: elements, one per thread.
#map = affine_map<(d0) -> (d0)>
module {
  func.func @kernel(%arg0: tensor<?xf32>, %arg1: index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}, tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
    %0 = tensor.empty(%arg1) : tensor<?xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0, %arg0 : tensor<?xf32>, tensor<?xf32>) outs(%0 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.maximumf %in, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<?xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%1, %1 : tensor<?xf32>, tensor<?xf32>) outs(%0 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.maximumf %in, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<?xf32>
    return %1, %2 : tensor<?xf32>, tensor<?xf32>
  }
}
