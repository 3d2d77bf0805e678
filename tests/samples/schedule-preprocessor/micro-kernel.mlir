// Tiles matrix products and lets a function in C do each tile.
module attributes {transform.with_named_sequence} {
  func.func private @tile(tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> (tensor<?x?xf32> {hal.tied = 2 : i32})
    attributes {hal.objects = [{path = "tile.o"}]}
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %product tile_sizes [16, 16, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %ins = transform.get_operand %tiled[all] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %tiled[0] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @tile(%ins) -> %out after %tiled {
      transform.type_conversion.tensor.cast_shape_dynamic_dims
    } : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.yield
  }
}
