// All: refused, `linalg.unpack`.
module {
  func.func @kernel(%arg0: tensor<?x?x4x2xf32>, %arg1: index, %arg2: index) -> (tensor<?x?xf32> {hal.dims = array<i64: 1, 2>}) attributes {hal.export} {
    %0 = tensor.empty(%arg1, %arg2) : tensor<?x?xf32>
    %unpack = linalg.unpack %arg0 inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %0 : tensor<?x?x4x2xf32> -> tensor<?x?xf32>
    return %unpack : tensor<?x?xf32>
  }
}
