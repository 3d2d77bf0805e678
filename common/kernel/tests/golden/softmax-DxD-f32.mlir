// CPUs: row kernel. GPUs: elements, one per thread, then rows, 1 at a time by 256 lanes each.
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @kernel(%arg0: tensor<?x?xf32>, %arg1: index, %arg2: index) -> (tensor<?x?xf32> {hal.dims = array<i64: 1, 2>}, tensor<?x?xf32> {hal.dims = array<i64: 1, 2>}, tensor<?x?xf32> {hal.dims = array<i64: 1, 2>}) attributes {hal.export} {
    %0 = tensor.empty(%arg1, %arg2) : tensor<?x?xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg0 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.minimumf %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<?x?xf32>
    %2 = linalg.softmax dimension(1) ins(%1 : tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %4 = arith.negf %in : f32
      linalg.yield %4 : f32
    } -> tensor<?x?xf32>
    return %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
  }
}
