// A matrix product: a workgroup for 64 x 128 elements, of which ROWS x COLUMNS at a time stay in registers.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %rows = transform.param.constant 8 : i64 {name = "rows"} -> !transform.param<i64>
    %columns = transform.param.constant 32 : i64 {name = "columns"} -> !transform.param<i64>
    %product = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op

    // Workgroups, with the zeros that the product begins with.
    %block, %grid = transform.structured.fuse %product tile_sizes [64, 128] {apply_cleanup, use_forall}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

    // Registers: one step of the reduction is a column times a row.
    %tile, %tiles:2 = transform.structured.fuse %block tile_sizes [%rows, %columns] {apply_cleanup}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %step, %depth = transform.structured.tile_using_for %tile tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

    %function = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %vectors = transform.structured.vectorize_children_and_apply_patterns %function : (!transform.any_op) -> !transform.any_op

    // The tile is read before the reduction and written after it.
    %steps = transform.structured.match ops{["vector.contract"]} in %vectors : (!transform.any_op) -> !transform.any_op
    %reduction = transform.get_parent_op %steps {op_name = "scf.for"} : (!transform.any_op) -> !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %reduction : !transform.any_op
    transform.yield
  }
}
