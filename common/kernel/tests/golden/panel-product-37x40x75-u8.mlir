// CPUs with matrix tiles: 32 rows by a panel of 32 columns at a time, of bytes with a zero point; a rest of rows, of columns and of steps.
// MACHINES: amx vnni
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#panels = affine_map<(d0, d1, d2) -> (d1 floordiv 32, d2 floordiv 4, d1 mod 32, d2 mod 4)>
#sums = affine_map<(d0, d1, d2) -> (d0, d1)>
#two = affine_map<(d0, d1) -> (d0, d1)>
#four = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @kernel(%x: tensor<37x75xi8>, %w: tensor<2x19x32x4xi8>) -> tensor<37x40xi32> attributes {hal.export} {
    %c0 = arith.constant 0 : i32
    %c100 = arith.constant 100 : i32
    %0 = tensor.empty() : tensor<37x75xi32>
    %1 = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<37x75xi8>) outs(%0 : tensor<37x75xi32>) {
    ^bb0(%in: i8, %out: i32):
      %7 = arith.extui %in : i8 to i32
      %8 = arith.subi %7, %c100 : i32
      linalg.yield %8 : i32
    } -> tensor<37x75xi32>
    %2 = tensor.empty() : tensor<2x19x32x4xi32>
    %3 = linalg.generic {indexing_maps = [#four, #four], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w : tensor<2x19x32x4xi8>) outs(%2 : tensor<2x19x32x4xi32>) {
    ^bb0(%in: i8, %out: i32):
      %7 = arith.extsi %in : i8 to i32
      linalg.yield %7 : i32
    } -> tensor<2x19x32x4xi32>
    %4 = tensor.empty() : tensor<37x40xi32>
    %5 = linalg.fill ins(%c0 : i32) outs(%4 : tensor<37x40xi32>) -> tensor<37x40xi32>
    %6 = linalg.generic {indexing_maps = [#rows, #panels, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1, %3 : tensor<37x75xi32>, tensor<2x19x32x4xi32>) outs(%5 : tensor<37x40xi32>) {
    ^bb0(%a: i32, %b: i32, %out: i32):
      %7 = arith.muli %a, %b : i32
      %8 = arith.addi %out, %7 : i32
      linalg.yield %8 : i32
    } -> tensor<37x40xi32>
    return %6 : tensor<37x40xi32>
  }
}
