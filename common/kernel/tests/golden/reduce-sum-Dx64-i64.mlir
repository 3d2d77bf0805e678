// CPUs: reduction. GPUs: rows, 8 at a time by 16 lanes each.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @kernel(%arg0: tensor<?x64xi64>, %arg1: index) -> (tensor<?xi64> {hal.dims = array<i64: 1>}) attributes {hal.export} {
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty(%arg1) : tensor<?xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<?xi64>) -> tensor<?xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x64xi64>) outs(%1 : tensor<?xi64>) {
    ^bb0(%in: i64, %out: i64):
      %3 = arith.addi %out, %in : i64
      linalg.yield %3 : i64
    } -> tensor<?xi64>
    return %2 : tensor<?xi64>
  }
}
