// All: refused, `scf.for` in a body.
#map = affine_map<(d0) -> (d0)>
module {
  func.func @kernel(%arg0: tensor<1x4xi64>) -> tensor<3xi64> attributes {hal.export} {
    %0 = tensor.empty() : tensor<3xi64>
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<3xi64>) {
    ^bb0(%out: i64):
      %2 = linalg.index 0 : index
      %3 = arith.index_cast %2 : index to i64
      %4:2 = scf.for %arg1 = %c0 to %c3 step %c1 iter_args(%arg2 = %c0, %arg3 = %c4) -> (index, index) {
        %6 = arith.addi %arg2, %arg3 : index
        %7 = arith.divui %6, %c2 : index
        %8 = arith.cmpi sge, %7, %c0 : index
        %9 = arith.cmpi slt, %7, %c4 : index
        %10 = arith.andi %8, %9 : i1
        %11 = scf.if %10 -> (i64) {
          %extracted = tensor.extract %arg0[%c0, %7] : tensor<1x4xi64>
          scf.yield %extracted : i64
        } else {
          scf.yield %3 : i64
        }
        %12 = arith.cmpi sle, %11, %3 : i64
        %13 = arith.addi %7, %c1 : index
        %14 = arith.select %12, %13, %arg2 : index
        %15 = arith.select %12, %arg3, %7 : index
        scf.yield %14, %15 : index, index
      }
      %5 = arith.index_cast %4#0 : index to i64
      linalg.yield %5 : i64
    } -> tensor<3xi64>
    return %1 : tensor<3xi64>
  }
}
