// CPUs: reduction over rows that data choose: rows are read as vectors. GPUs: elements, one per thread.
module @kernel attributes {hal.executable} {
  func.func @main_dispatch_1_reduce_sum_224x2_i64(%arg0: tensor<224x2xi64>, %arg1: tensor<224x2xf32>, %arg2: tensor<1x21x28x224xf32>) -> tensor<1x21x224x224xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x21x224x224xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x21x224x224xf32>) -> tensor<1x21x224x224xf32>
    %c0 = arith.constant 0 : index
    %c27 = arith.constant 27 : index
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<224x2xi64>, tensor<224x2xf32>) outs(%1 : tensor<1x21x224x224xf32>) {
    ^bb0(%in: i64, %in_0: f32, %out: f32):
      %3 = arith.index_cast %in : i64 to index
      %4 = arith.maxsi %3, %c0 : index
      %5 = arith.minsi %4, %c27 : index
      %6 = linalg.index 1 : index
      %7 = linalg.index 3 : index
      %extracted = tensor.extract %arg2[%c0, %6, %5, %7] : tensor<1x21x28x224xf32>
      %8 = arith.mulf %extracted, %in_0 : f32
      %9 = arith.addf %out, %8 : f32
      linalg.yield %9 : f32
    } -> tensor<1x21x224x224xf32>
    return %2 : tensor<1x21x224x224xf32>
  }
}
