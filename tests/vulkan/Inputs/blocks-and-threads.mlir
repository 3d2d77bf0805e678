// Matrix products of 10 x 10 elements a workgroup.
module attributes {transform.with_named_sequence} {
  // Each of 5 x 2 threads has 5 x 2 elements.
  transform.named_sequence @threads(%m: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %zeros = transform.structured.match ops{["linalg.fill"]} in %m : (!transform.any_op) -> !transform.any_op
    %block, %blocks = transform.structured.tile_using_forall %product tile_sizes [10, 10] (mapping = [#gpu.block<y>, #gpu.block<x>])
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %zeros1, %blocks1 = transform.structured.fuse_into_containing_op %zeros into %blocks
      : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %tile, %threads = transform.structured.tile_using_forall %block tile_sizes [5, 2] (mapping = [#gpu.thread<y>, #gpu.thread<x>])
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %zeros2, %threads1 = transform.structured.fuse_into_containing_op %zeros1 into %threads
      : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  // One thread for all of it.
  transform.named_sequence @blocks(%m: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %block, %blocks = transform.structured.tile_using_forall %product tile_sizes [10, 10]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  // The zeros of a block are written before its threads begin.
  transform.named_sequence @beside(%m: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %block, %blocks = transform.structured.tile_using_forall %product tile_sizes [10, 10] (mapping = [#gpu.block<y>, #gpu.block<x>])
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %tile, %threads = transform.structured.tile_using_forall %block tile_sizes [5, 2] (mapping = [#gpu.thread<y>, #gpu.thread<x>])
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
