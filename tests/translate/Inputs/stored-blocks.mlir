#numbers = affine_map<(d0, d1) -> (d0, d1 floordiv 32, (d1 mod 32) floordiv 2)>
#scales = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @blocks(%arg0: tensor<3x64xf32>, %arg1: tensor<40x2x16xi8> {hal.weight}, %arg2: tensor<40x2xf32> {hal.weight}) -> tensor<3x40xf32> attributes {hal.export} {
      %cst = arith.constant 0.000000e+00 : f32
      %c8 = arith.constant 8.000000e+00 : f32
      %c2 = arith.constant 2 : index
      %c4_i32 = arith.constant 4 : i32
      %c15_i32 = arith.constant 15 : i32
      %0 = tensor.empty() : tensor<40x64xf32>
      %1 = linalg.generic {indexing_maps = [#numbers, #scales, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %arg2 : tensor<40x2x16xi8>, tensor<40x2xf32>) outs(%0 : tensor<40x64xf32>) {
      ^bb0(%in: i8, %in_0: f32, %out: f32):
        %5 = linalg.index 1 : index
        %6 = arith.remsi %5, %c2 : index
        %7 = arith.index_cast %6 : index to i32
        %8 = arith.muli %7, %c4_i32 : i32
        %9 = arith.extui %in : i8 to i32
        %10 = arith.shrui %9, %8 : i32
        %11 = arith.andi %10, %c15_i32 : i32
        %12 = arith.uitofp %11 : i32 to f32
        %13 = arith.subf %12, %c8 : f32
        %14 = arith.mulf %13, %in_0 : f32
        linalg.yield %14 : f32
      } -> tensor<40x64xf32>
      %2 = tensor.empty() : tensor<3x40xf32>
      %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<3x40xf32>) -> tensor<3x40xf32>
      %4 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %1 : tensor<3x64xf32>, tensor<40x64xf32>) outs(%3 : tensor<3x40xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %5 = arith.mulf %in, %in_0 : f32
        %6 = arith.addf %out, %5 : f32
        linalg.yield %6 : f32
      } -> tensor<3x40xf32>
      return %4 : tensor<3x40xf32>
    }
  }
  func.func private @blocks(tensor<3x64xf32>, tensor<40x2x16xi8>, tensor<40x2xf32>) -> tensor<3x40xf32> attributes {hal.entry = @k::@blocks}
}
