// Two operands at once; one update is out of range and left out.
func.func public @main(%x: tensor<?xi32>, %y: tensor<?xf32>, %at: tensor<?x1xi32>, %u: tensor<?xi32>, %v: tensor<?xf32>)
    -> (tensor<?xi32>, tensor<?xf32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %at, %u, %v) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<f32>):
    %1 = stablehlo.add %a, %c : tensor<i32>
    %2 = stablehlo.maximum %b, %d : tensor<f32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
  }) : (tensor<?xi32>, tensor<?xf32>, tensor<?x1xi32>, tensor<?xi32>, tensor<?xf32>) -> (tensor<?xi32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?xi32>, tensor<?xf32>
}
