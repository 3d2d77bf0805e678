// CPUs: elementwise. GPUs: elements, one per thread.
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @kernel(%arg0: tensor<1x1xi64>, %arg1: index) -> (tensor<1x1x?xi1> {hal.dims = array<i64: 1>}) attributes {hal.export} {
    %0 = tensor.empty(%arg1) : tensor<1x1x?xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x1xi64>) outs(%0 : tensor<1x1x?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %2 = linalg.index 2 : index
      %3 = arith.index_cast %2 : index to i64
      %4 = arith.cmpi slt, %3, %in : i64
      linalg.yield %4 : i1
    } -> tensor<1x1x?xi1>
    return %1 : tensor<1x1x?xi1>
  }
}
