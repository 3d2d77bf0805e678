// IREE's vulkan/shaders/example_transform_spec.mlir.
func.func private @argmax_1d_f32(tensor<1x?xf32>) -> tensor<1xi64> attributes {hal.objects = [{path = "argmax.spv"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "sizes : i32"]}
func.func private @argmax_1d_f32_entry_point(%x: tensor<1x?xf32>, %m: tensor<1xf32>, %i: tensor<1xi64>) -> tensor<1xi64> {
  %r = call @argmax_1d_f32(%x) : (tensor<1x?xf32>) -> tensor<1xi64>
  return %r : tensor<1xi64>
}
func.func private @argmax(%target: tensor<1x?xf32> {hal.divisible_by = array<i64: 1, 64>}, %empty_max: tensor<1xf32>, %empty_idx: tensor<1xi64>) -> tensor<1xi64> attributes {hal.replaced_by = @argmax_1d_f32_entry_point} {
  %5:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
                         ins(%target : tensor<1x?xf32>) outs(%empty_max, %empty_idx : tensor<1xf32>, tensor<1xi64>) {
  ^bb0(%in: f32, %out: f32, %out_0: i64):
    %6 = linalg.index 1 : index
    %7 = arith.index_cast %6 : index to i64
    %8 = arith.maximumf %in, %out : f32
    %9 = arith.cmpf ogt, %in, %out : f32
    %10 = arith.select %9, %7, %out_0 : i64
    linalg.yield %8, %10 : f32, i64
  } -> (tensor<1xf32>, tensor<1xi64>)
  return %5#1 : tensor<1xi64>
}
