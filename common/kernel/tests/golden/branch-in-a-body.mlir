// All: refused, `scf.if` in a body.
#map = affine_map<(d0) -> (d0)>
module {
  func.func @kernel(%arg0: tensor<?xi8>, %arg1: index) -> (tensor<?xi8> {hal.dims = array<i64: 1>}) attributes {hal.export} {
    %0 = tensor.empty(%arg1) : tensor<?xi8>
    %c0 = arith.constant 0 : index
    %c0_i8 = arith.constant 0 : i8
    %c46_i8 = arith.constant 46 : i8
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg0 : tensor<?xi8>) outs(%0 : tensor<?xi8>) {
    ^bb0(%in: i8, %out: i8):
      %2 = linalg.index 0 : index
      %3 = arith.cmpi sge, %2, %c0 : index
      %4 = arith.cmpi slt, %2, %arg1 : index
      %5 = arith.andi %3, %4 : i1
      %6 = scf.if %5 -> (i8) {
        %extracted = tensor.extract %arg0[%2] : tensor<?xi8>
        scf.yield %extracted : i8
      } else {
        scf.yield %c0_i8 : i8
      }
      %7 = arith.cmpi eq, %6, %c46_i8 : i8
      %8 = arith.extui %7 : i1 to i8
      linalg.yield %8 : i8
    } -> tensor<?xi8>
    return %1 : tensor<?xi8>
  }
}
