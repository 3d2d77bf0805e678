// Attention: a workgroup for 16 rows of a head, whose scores stay in the first-level cache.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %rows = transform.param.constant 8 : i64 {name = "rows"} -> !transform.param<i64>
    %columns = transform.param.constant 32 : i64 {name = "columns"} -> !transform.param<i64>
    %function = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op

    // Workgroups: the second product, with all that it needs.
    %products = transform.structured.match ops{["linalg.batch_matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %first, %second = transform.split_handle %products : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %block, %grid = transform.structured.fuse %second tile_sizes [1, 16] {apply_cleanup, use_forall}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // What several operations need was fused several times.
    transform.apply_patterns to %function { transform.apply_patterns.canonicalization } {apply_cse} : !transform.any_op
    %fused = transform.structured.match ops{["linalg.batch_matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %scores, %results = transform.split_handle %fused : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

    // Scores: 16 x 16 stay in registers, with their zeros; blocks of 16 x 16 elements of the keys are transposed there.
    %score, %l1 = transform.structured.fuse %scores tile_sizes [0, 0, 16] {apply_cleanup} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %score1, %l2 = transform.structured.tile_using_for %score tile_sizes [0, 0, 0, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

    // Softmax: all of a row, then the next row.
    %parts = transform.structured.match ops{["linalg.generic"]} in %m : (!transform.any_op) -> !transform.any_op
    %max, %exp, %sum, %quotient = transform.split_handle %parts
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %row, %l3 = transform.structured.fuse %quotient tile_sizes [0, 1] {apply_cleanup} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

    // Results: ROWS x COLUMNS elements stay in registers.
    %result, %l4:2 = transform.structured.fuse %results tile_sizes [0, %rows, %columns] {apply_cleanup}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %result1, %l5 = transform.structured.tile_using_for %result tile_sizes [0, 0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

    transform.apply_patterns to %function { transform.apply_patterns.canonicalization } {apply_cse} : !transform.any_op
    %vectors = transform.structured.vectorize_children_and_apply_patterns %function : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
    } {apply_cse} : !transform.any_op

    // Tiles are read before their reduction and written after it.
    %steps = transform.structured.match ops{["vector.contract"]} in %m : (!transform.any_op) -> !transform.any_op
    %reductions = transform.get_parent_op %steps {op_name = "scf.for", deduplicate} : (!transform.any_op) -> !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %reductions : !transform.any_op
    transform.yield
  }
}
