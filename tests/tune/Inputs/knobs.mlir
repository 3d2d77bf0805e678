// A matrix product: a workgroup for 16 or 32 rows, tiles of ROWS x COLUMNS in registers. The second alternative leaves plain loops.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %rows = transform.tune.knob<"rows"> options = [2, 4, 8] -> !transform.param<i64>
    %columns = transform.tune.knob<"columns"> = 16 from options = {lower_bound = 16, upper_bound = 32, divisible_by = 16} -> !transform.param<i64>
    %product = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %block, %grid = transform.structured.fuse %product tile_sizes [32, 64] {apply_cleanup, use_forall}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.tune.alternatives<"loops"> {
      %tile, %tiles:2 = transform.structured.fuse %block tile_sizes [%rows, %columns] {apply_cleanup}
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      %step, %depth = transform.structured.tile_using_for %tile tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %function = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
      %vectors = transform.structured.vectorize_children_and_apply_patterns %function : (!transform.any_op) -> !transform.any_op
      %steps = transform.structured.match ops{["vector.contract"]} in %vectors : (!transform.any_op) -> !transform.any_op
      %reduction = transform.get_parent_op %steps {op_name = "scf.for"} : (!transform.any_op) -> !transform.any_op
      transform.loop.hoist_loop_invariant_subsets %reduction : !transform.any_op
    }, {
      transform.annotate %grid "plain" : !transform.any_op
    }
    transform.yield
  }
}
