// CPUs: row kernel. GPUs: elements, one per thread.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @kernel(%arg0: tensor<?xi64>, %arg1: tensor<?x64xi64>, %arg2: index) -> (tensor<?x64xi64> {hal.dims = array<i64: 2>}) attributes {hal.export} {
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty(%arg2) : tensor<?xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<?xi64>) -> tensor<?xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0, %0 : tensor<?xi64>, tensor<?xi64>) outs(%1 : tensor<?xi64>) {
    ^bb0(%in: i64, %in_0: i64, %out: i64):
      %5 = linalg.index 0 : index
      %6 = linalg.index 1 : index
      %7 = arith.cmpi slt, %6, %5 : index
      %8 = arith.addi %out, %in : i64
      %9 = arith.select %7, %8, %out : i64
      linalg.yield %9 : i64
    } -> tensor<?xi64>
    %3 = tensor.empty(%arg2) : tensor<?x64xi64>
    %4 = linalg.generic {indexing_maps = [#map1, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%2, %arg1 : tensor<?xi64>, tensor<?x64xi64>) outs(%3 : tensor<?x64xi64>) {
    ^bb0(%in: i64, %in_0: i64, %out: i64):
      %5 = arith.addi %in, %in_0 : i64
      linalg.yield %5 : i64
    } -> tensor<?x64xi64>
    return %4 : tensor<?x64xi64>
  }
}
