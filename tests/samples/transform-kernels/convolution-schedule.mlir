// A 3 x 3 convolution of an image with channels last: a workgroup for each row, of which COLUMNS x CHANNELS elements at a time stay in
// registers.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %columns = transform.param.constant 8 : i64 {name = "columns"} -> !transform.param<i64>
    %channels = transform.param.constant 32 : i64 {name = "channels"} -> !transform.param<i64>
    %convolution = transform.structured.match ops{["linalg.conv_2d_nhwc_hwcf"]} in %m : (!transform.any_op) -> !transform.any_op

    // Workgroups, with the zeros that the sums begin with.
    %row, %grid = transform.structured.fuse %convolution tile_sizes [1, 1] {apply_cleanup, use_forall}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

    // Each row of the filter is a convolution in one dimension.
    %line, %filter = transform.structured.tile_using_for %row tile_sizes [0, 0, 0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %conv_1d = transform.structured.decompose %line : (!transform.any_op) -> !transform.any_op

    // Registers: a step is one input channel; vectorisation unrolls the three columns of the filter.
    %tile, %loops:3 = transform.structured.tile_using_for %conv_1d tile_sizes [0, %columns, %channels, 0, 1] interchange = [0, 2, 1, 3, 4]
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
      -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %tile : !transform.any_op

    %function = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function { transform.apply_patterns.canonicalization } {apply_cse} : !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
    } {apply_cse} : !transform.any_op

    // The tile is read before the input channels and written after them.
    %steps = transform.structured.match ops{["vector.contract"]} in %m : (!transform.any_op) -> !transform.any_op
    %reduction = transform.get_parent_op %steps {op_name = "scf.for", deduplicate} : (!transform.any_op) -> !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %reduction : !transform.any_op
    transform.yield
  }
}
