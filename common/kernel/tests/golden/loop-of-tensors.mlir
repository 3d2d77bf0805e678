// All: refused, `scf.for`.
module {
  func.func @kernel(%arg0: tensor<8x5xf32>, %arg1: tensor<3xi32>, %arg2: tensor<3x5xf32>) -> (tensor<8x5xf32>, tensor<1xi64>) attributes {hal.export} {
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty() : tensor<1xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<1xi64>) -> tensor<1xi64>
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c7 = arith.constant 7 : index
    %2:2 = scf.for %arg3 = %c0 to %c3 step %c1 iter_args(%arg4 = %arg0, %arg5 = %1) -> (tensor<8x5xf32>, tensor<1xi64>) {
      %extracted = tensor.extract %arg1[%arg3] : tensor<3xi32>
      %3 = arith.index_cast %extracted : i32 to index
      %extracted_slice = tensor.extract_slice %arg2[%arg3, 0] [1, 5] [1, 1] : tensor<3x5xf32> to tensor<1x5xf32>
      %4 = arith.extsi %extracted : i32 to i64
      %extracted_0 = tensor.extract %arg5[%c0] : tensor<1xi64>
      %5 = arith.maxui %extracted_0, %4 : i64
      %inserted = tensor.insert %5 into %arg5[%c0] : tensor<1xi64>
      %6 = arith.cmpi ult, %3, %c8 : index
      %7 = arith.minui %3, %c7 : index
      %8 = scf.if %6 -> (tensor<8x5xf32>) {
        %inserted_slice = tensor.insert_slice %extracted_slice into %arg4[%7, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<8x5xf32>
        scf.yield %inserted_slice : tensor<8x5xf32>
      } else {
        scf.yield %arg4 : tensor<8x5xf32>
      }
      scf.yield %8, %inserted : tensor<8x5xf32>, tensor<1xi64>
    }
    return %2#0, %2#1 : tensor<8x5xf32>, tensor<1xi64>
  }
}
