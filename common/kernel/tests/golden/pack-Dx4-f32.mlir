// All: refused, `linalg.pack`.
module {
  func.func @kernel(%arg0: tensor<?xf32>, %arg1: index) -> (tensor<?x4xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
    %0 = tensor.empty(%arg1) : tensor<?x4xf32>
    %pack = linalg.pack %arg0 inner_dims_pos = [0] inner_tiles = [4] into %0 : tensor<?xf32> -> tensor<?x4xf32>
    return %pack : tensor<?x4xf32>
  }
}
