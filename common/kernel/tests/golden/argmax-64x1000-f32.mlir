// The position of the largest element of a row. CPUs: lanes along the row.
func.func @kernel(%x: tensor<64x1000xf32>) -> tensor<64xi64> attributes {hal.export} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %v = tensor.empty() : tensor<64xf32>
  %i = tensor.empty() : tensor<64xi64>
  %vs = linalg.fill ins(%low : f32) outs(%v : tensor<64xf32>) -> tensor<64xf32>
  %is = linalg.fill ins(%zero : i64) outs(%i : tensor<64xi64>) -> tensor<64xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>],
                         iterator_types = ["parallel", "reduction"]}
         ins(%x : tensor<64x1000xf32>) outs(%vs, %is : tensor<64xf32>, tensor<64xi64>) {
  ^bb0(%e: f32, %best: f32, %place: i64):
    %n = linalg.index 1 : index
    %here = arith.index_cast %n : index to i64
    %c = arith.cmpf ogt, %e, %best : f32
    %a = arith.select %c, %e, %best : f32
    %b = arith.select %c, %here, %place : i64
    linalg.yield %a, %b : f32, i64
  } -> (tensor<64xf32>, tensor<64xi64>)
  return %r#1 : tensor<64xi64>
}
